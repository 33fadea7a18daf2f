import * as z from 'zod/mini';
import {
  NewPassword,
  newPasswordMeaning,
  normalForm,
  SentPassword,
} from '../../shared/kernel/auth/passwords.ts';
import { Failure, Refused } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { accountNoticeAction } from '../../shared/organizations/queued-mail.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { refuseGuessable } from './model/guessable-password.ts';
import { readLoginAttempt } from './model/login-attempt.ts';
import { authLimits } from './model/login-policy.ts';
import { countFailure, successActions } from './model/login-throttle.ts';
import { newPasswordActions } from './model/new-password.ts';
import { requestDevice } from './model/sessions.ts';
import { shareOfUser } from './model/shares.ts';

export default operation({
  route: 'PUT /api/auth/password',
  summary: 'Change your password',
  description:
    'Ends all your other sessions and closes their connections for live events; the session that sends the request continues. An email tells the user. Access tokens already issued work until they expire. A wrong `currentPassword` is 400 with the code `WRONG_PASSWORD` and counts as a failed login: after too many, the response is 429, as for a login, and `Retry-After` says for how many seconds. The new password must differ from the current one. A request that is repeated in the same session, because its response was lost, gets the same 200 again. If another request changes the password at the same time, the response is 409.',
  family: 'auth',
  minimumRole: 'SALES_REP',
  body: z.object({ currentPassword: SentPassword, newPassword: NewPassword }),
  descriptions: {
    currentPassword: 'The password you log in with now.',
    newPassword: newPasswordMeaning,
  },
  output: messageResponse(),
  failures: ['WRONG_PASSWORD', 'TOO_MANY_ATTEMPTS', 'CONFLICT'],
  example: { body: { currentPassword: 'switchboard-demo', newPassword: 'correct horse battery staple' } },
  share: shareOfUser,
  limits: [authLimits.account, authLimits.address],
  uses: { identity: 'write', organizations: 'write', passwords: 'hash' },
  async run({ body, headers, sourceIp }, { identity, organizations, passwords, caller, now, newId }) {
    const { currentPassword, newPassword } = body;
    if (normalForm(currentPassword) === normalForm(newPassword)) {
      throw new Failure('INVALID', 'newPassword must differ from currentPassword');
    }
    const table = organizations(caller.homeOrganizationId);
    const [passwordId, eventId, mailId] = [newId(), newId(), newId()];
    let wasVerified = false;
    return table.optimistically(async () => {
      const user = await table.read(userKey(caller.userId));
      if (user === undefined || user.data.disabled) {
        throw new Refused('invalid');
      }
      await refuseGuessable('newPassword', newPassword, user.data.email);
      const { credentials, throttles } = await readLoginAttempt(identity, user.data.email, sourceIp, now);
      if (credentials === undefined) {
        throw new Refused('invalid');
      }
      const isPassword = async (sent: string) =>
        (await passwords.verify(sent, credentials.data.passwordHash)).matches;
      if (!(await isPassword(currentPassword))) {
        // The session that changed the password may repeat the request, because the response got lost or two were sent.
        const mayRepeat = caller.sessionId !== undefined && user.data.keptSessionId === caller.sessionId;
        if (mayRepeat && (await isPassword(newPassword))) {
          await identity.commit(successActions(identity, throttles, now));
          return ok({ message: 'Password changed' });
        }
        if (wasVerified) {
          throw new Failure(
            'CONFLICT',
            'Another request changed your password at the same time. Log in with the new one.',
          );
        }
        await countFailure(identity, throttles.counting, now);
        throw new Failure('WRONG_PASSWORD', 'currentPassword is not your password');
      }
      wasVerified = true;
      const passwordHash = await passwords.hash(newPassword);
      const event = { event: 'password-changed', device: requestDevice({ headers, sourceIp }) } as const;
      await identity.commit([
        ...successActions(identity, throttles, now),
        ...newPasswordActions(
          { identity, table },
          { credentials, user, keptSessionId: caller.sessionId },
          { passwordHash, passwordId, eventId },
          now,
        ),
        accountNoticeAction(identity, user.data, event, mailId, now),
      ]);
      return ok({ message: 'Password changed' });
    });
  },
});
