import * as z from 'zod/mini';
import { actingAs } from '../../shared/events/outbox.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { sourceNetwork } from '../../shared/kernel/http/source-address.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { organizationKey } from '../../shared/organizations/organization.ts';
import { accountNoticeAction } from '../../shared/organizations/queued-mail.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { emailDigest } from './model/email.ts';
import { acceptCode, readFactor } from './model/factors/factor-check.ts';
import { SentCode } from './model/factors/factor-response.ts';
import { authLimits } from './model/login-policy.ts';
import { knownNetworkAction } from './model/login-throttle.ts';
import { SessionResponse, signSessionResponse } from './model/session-response.ts';
import { newSession, requestDevice } from './model/sessions.ts';
import { shareOfStrangers } from './model/shares.ts';

export default operation({
  route: 'POST /api/auth/login/factor',
  summary: 'Log in with a second factor',
  description:
    'The second step of the login of a user with a second factor: takes the `mfaToken` of `POST /api/auth/login`, valid for 5 minutes and as long as the password is not changed, with a code, and opens the session. A code works once, within about a minute; a recovery code works once, at any time. A wrong code is 401 with the code `INVALID_CREDENTIALS`: try again with the same `mfaToken`. After 10 wrong codes within a day, the response is 429 for 1 minute, then 2, 4, 8 and so on, and `Retry-After` says for how many seconds. For any other `mfaToken`, the response is 401 with the code `TOKEN_EXPIRED`: log in again.',
  family: 'auth',
  minimumRole: 'anyone',
  body: z.object({ mfaToken: anyString, code: SentCode }),
  descriptions: {
    mfaToken: 'The `mfaToken` that the login returned.',
    code: "The six digits that the user's app shows, or a recovery code.",
  },
  output: SessionResponse,
  failures: ['INVALID_CREDENTIALS', 'TOKEN_EXPIRED', 'TOO_MANY_ATTEMPTS'],
  example: { body: { mfaToken: 'header.payload.signature', code: '492039' } },
  share: shareOfStrangers,
  limits: [authLimits.code],
  uses: { identity: 'write', organizations: 'write', tokens: 'sign', secrets: 'open' },
  async run({ body, headers, sourceIp }, { identity, organizations, tokens, secrets, now, newId }) {
    const claims = await tokens.factor(body.mfaToken, now);
    if (typeof claims === 'string') {
      throw loginExpired();
    }
    const { userId, organizationId, passwordId, knownNetwork } = claims;
    const request = { headers, sourceIp };
    const newSignIn = { event: 'new-sign-in', device: requestDevice(request) } as const;
    const table = actingAs(organizations(organizationId), { type: 'user', id: userId });
    const opened = await identity.optimistically(async () => {
      const [stored, organization, { factor, wrongCodes }] = await Promise.all([
        table.read(userKey(userId)),
        table.read(organizationKey()),
        readFactor(identity, claims),
      ]);
      const user = stored?.data;
      if (
        user === undefined ||
        user.disabled ||
        (user.passwordId ?? '') !== passwordId ||
        organization === undefined ||
        // Without the factor that the login asked for, the password is enough.
        factor?.data.confirmedAt === undefined
      ) {
        throw loginExpired();
      }
      const accepted = await acceptCode(
        { identity, secrets, now },
        { user: user, factor: factor.data, wrongCodes },
        body.code,
        wrongCode,
      );
      const { actions, position } = newSession({ identity, table }, user, request, { now, newId });
      await identity.commit([
        identity.replace(factor, accepted.after),
        accepted.action,
        knownNetworkAction(identity, emailDigest(user.email), sourceIp, now),
        ...actions,
        ...(knownNetwork === sourceNetwork(sourceIp)
          ? []
          : [accountNoticeAction(identity, user, newSignIn, newId(), now)]),
      ]);
      return { user, organization: organization.data, position };
    });
    return signSessionResponse(tokens, opened, now);
  },
});

const wrongCode = () => new Failure('INVALID_CREDENTIALS', 'The code is wrong or was used before.');

const loginExpired = () =>
  new Failure('TOKEN_EXPIRED', 'The mfaToken is invalid or has expired. Log in again.');
