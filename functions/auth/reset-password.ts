import * as z from 'zod/mini';
import { actingAs } from '../../shared/events/outbox.ts';
import { NewPassword, newPasswordMeaning } from '../../shared/kernel/auth/passwords.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { accountNoticeAction } from '../../shared/organizations/queued-mail.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { findCredentials } from './model/credentials.ts';
import { emailDigest } from './model/email.ts';
import { refuseGuessable } from './model/guessable-password.ts';
import { knownNetworkAction, loginThrottleKeys } from './model/login-throttle.ts';
import { newPasswordActions } from './model/new-password.ts';
import { invalidToken, readOneTimeToken } from './model/one-time-token.ts';
import { consumeResetAction, isCurrentReset, passwordResetKey } from './model/password-reset.ts';
import { requestDevice } from './model/sessions.ts';
import { shareOfStrangers } from './model/shares.ts';

export default operation({
  route: 'POST /api/auth/password/reset',
  summary: 'Choose a new password with the link from an email',
  description:
    'Takes the token of the latest email about a forgotten password. It works once, within one hour; a token that is used, replaced, expired or unknown gets 400 with the code `INVALID_TOKEN`. A request that is refused for its password leaves the token as it is. All sessions of the user end and their connections for live events close: refresh tokens stop working at once, access tokens work until they expire. A second factor stays: the next login asks for it. Log in with the new password. [Auth](#/Auth) says what else ends, and what makes the token invalid.',
  family: 'auth',
  minimumRole: 'anyone',
  body: z.object({ token: anyString, password: NewPassword }),
  descriptions: {
    token: 'What follows `token=` in the link of the email.',
    password: newPasswordMeaning,
  },
  output: messageResponse(),
  failures: ['INVALID_TOKEN'],
  example: {
    body: {
      token:
        '01KF0EY6SKVRTJ88B872195D27.01KF0G971P1SYTWV8GNPEQCJ6G.Zm9yIGV4YW1wbGUgb25seSwgbm8gcmVhbCB0b2tlbiE',
      password: 'correct horse battery staple',
    },
  },
  share: shareOfStrangers,
  uses: { identity: 'write', organizations: 'write', passwords: 'hash' },
  async run({ body, headers, sourceIp }, { identity, organizations, passwords, now, newId }) {
    const token = readOneTimeToken(body.token);
    const [passwordId, eventId, mailId] = [newId(), newId(), newId()];
    const account = actingAs(organizations(token.organizationId), { type: 'user', id: token.subjectId });
    let hashed: Promise<string> | undefined;

    await identity.optimistically(async () => {
      const [reset, user] = await Promise.all([
        identity.read(passwordResetKey(token.subjectId)),
        account.read(userKey(token.subjectId)),
      ]);
      if (user === undefined || user.data.disabled || !isCurrentReset(reset, token, user.data, now)) {
        throw invalidToken();
      }
      await refuseGuessable('password', body.password, user.data.email);
      const digest = emailDigest(user.data.email);
      hashed ??= passwords.hash(body.password);
      const [credentials, passwordHash] = await Promise.all([
        findCredentials(identity, user.data.email),
        hashed,
      ]);
      if (credentials === undefined) {
        throw invalidToken();
      }
      const [failures] = loginThrottleKeys(digest, sourceIp);
      const event = { event: 'password-reset', device: requestDevice({ headers, sourceIp }) } as const;
      await identity.commit([
        consumeResetAction(identity, token, now),
        ...newPasswordActions(
          { identity, table: account },
          { credentials, user },
          { passwordHash, passwordId, eventId },
          now,
        ),
        identity.delete(failures),
        knownNetworkAction(identity, digest, sourceIp, now),
        accountNoticeAction(identity, user.data, event, mailId, now),
      ]);
    });
    return ok({ message: 'Password changed. Log in with it.' });
  },
});
