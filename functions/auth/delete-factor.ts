import * as z from 'zod/mini';
import { SentPassword } from '../../shared/kernel/auth/passwords.ts';
import { Failure, Refused } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import type { User } from '../../shared/organizations/user.ts';
import { factorRemovalActions } from './model/factors/factor-change.ts';
import { acceptCode, readOwnFactor } from './model/factors/factor-check.ts';
import { SentCode, wrongCode } from './model/factors/factor-response.ts';
import { readLoginAttempt } from './model/login-attempt.ts';
import { authLimits } from './model/login-policy.ts';
import { countFailure, passwordActions } from './model/login-throttle.ts';
import { requestDevice } from './model/sessions.ts';
import { shareOfUser } from './model/shares.ts';

export default operation({
  route: 'DELETE /api/auth/factors/{id}',
  summary: 'Delete your second factor',
  description:
    'From then on, a login asks for the password alone, and the recovery codes no longer work. Send a code (of the app, or a recovery code) or your password; a factor that is not confirmed needs neither. A wrong code is 400 with the code `WRONG_CODE`, a wrong password 400 with the code `WRONG_PASSWORD`, and both count: after too many, the response is 429. If the organization requires a second factor of you, your session can only set up another one from its next refresh on.',
  family: 'auth',
  minimumRole: 'SALES_REP',
  body: z.object({ code: z.optional(SentCode), currentPassword: z.optional(SentPassword) }),
  descriptions: {
    id: 'The `_id` of the factor.',
    code: 'The code that the app shows, or a recovery code.',
    currentPassword: 'The password you log in with.',
  },
  output: messageResponse(),
  failures: ['WRONG_CODE', 'WRONG_PASSWORD', 'NOT_FOUND', 'TOO_MANY_ATTEMPTS'],
  example: {
    path: { id: '01KF0EY6SKVRTJ88B872195D29' },
    body: { currentPassword: 'switchboard-demo' },
  },
  share: shareOfUser,
  limits: [authLimits.account, authLimits.address, authLimits.code],
  uses: { identity: 'write', organizations: 'write', passwords: 'hash', secrets: 'open' },
  async run(
    { path, body, headers, sourceIp },
    { identity, organizations, passwords, secrets, caller, now, newId },
  ) {
    const { userId, homeOrganizationId } = caller;
    const table = organizations(homeOrganizationId);

    async function passwordProof(email: User['email'], sent: string) {
      const { credentials, throttles } = await readLoginAttempt(identity, email, sourceIp, now);
      if (credentials === undefined) {
        throw new Refused('invalid');
      }
      if (!(await passwords.verify(sent, credentials.data.passwordHash)).matches) {
        await countFailure(identity, throttles.counting, now);
        throw new Failure('WRONG_PASSWORD', 'currentPassword is not your password');
      }
      return passwordActions(identity, throttles, now);
    }

    return identity.optimistically(async () => {
      const { user, factor, wrongCodes } = await readOwnFactor({ table, identity }, userId, path.id);
      if (factor.data.confirmedAt === undefined) {
        await identity.commit([identity.delete(factor.key, { ifVersion: factor.version })]);
        return ok({ message: 'Factor deleted' });
      }
      const { code, currentPassword } = body;
      if (code === undefined && currentPassword === undefined) {
        throw new Failure('INVALID', 'code or currentPassword is required');
      }
      const proof =
        code === undefined
          ? [
              ...(await passwordProof(user.data.email, currentPassword ?? '')),
              identity.delete(wrongCodes.key),
            ]
          : [
              (
                await acceptCode(
                  { identity, secrets, now },
                  { user: user.data, factor: factor.data, wrongCodes },
                  code,
                  wrongCode,
                )
              ).action,
            ];
      await identity.commit([
        ...proof,
        ...factorRemovalActions(
          { identity, table, now, newId },
          user,
          factor,
          requestDevice({ headers, sourceIp }),
        ),
      ]);
      return ok({ message: 'Factor deleted' });
    });
  },
});
