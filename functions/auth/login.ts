import * as z from 'zod/mini';
import { actingAs } from '../../shared/events/outbox.ts';
import { SentPassword } from '../../shared/kernel/auth/passwords.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { sourceNetwork } from '../../shared/kernel/http/source-address.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { organizationKey } from '../../shared/organizations/organization.ts';
import { accountNoticeAction } from '../../shared/organizations/queued-mail.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { VersionConflict } from '../../shared/table/table.ts';
import { SentEmail } from './model/email.ts';
import { readLoginAttempt } from './model/login-attempt.ts';
import { authLimits } from './model/login-policy.ts';
import { countFailure, passwordActions, successActions } from './model/login-throttle.ts';
import { SessionResponse, signSessionResponse } from './model/session-response.ts';
import { newSession, requestDevice } from './model/sessions.ts';
import { shareOfStrangers } from './model/shares.ts';

/** Read in place of an account that does not exist, so that the response time reveals nothing. */
const nobody = { organizationId: 'nobody', userId: 'nobody' } as const;

const FactorRequest = described(
  z.object({ mfaRequired: z.literal(true), mfaToken: anyString }),
  {
    mfaRequired: 'Always true.',
    mfaToken: 'For `POST /api/auth/login/factor`, with a code; valid for 5 minutes.',
  },
  { id: 'FactorRequest', description: 'The password is right, and the user has a second factor.' },
);

export default operation({
  route: 'POST /api/auth/login',
  summary: 'Log in',
  description: [
    'Opens a session. For a user with a second factor, it returns `{mfaRequired: true, mfaToken}` instead, without tokens: send the `mfaToken` with a code to `POST /api/auth/login/factor`.',
    'After 5 failed logins to an account within 15 minutes, the account is blocked for 1 minute, then 2, 4, 8 and so on; after 20 failed logins from one address within 5 minutes, every login from that address is blocked for a while. `Retry-After` says for how many seconds. [Auth](#/Auth) says whom a block concerns, and when an email tells the user of a login.',
  ].join('\n\n'),
  family: 'auth',
  minimumRole: 'anyone',
  body: z.object({ email: SentEmail, password: SentPassword }),
  descriptions: {
    email: 'The email address the user registered with.',
    password: "The user's password.",
  },
  output: z.union([SessionResponse, FactorRequest]),
  failures: ['INVALID_CREDENTIALS', 'TOO_MANY_ATTEMPTS'],
  example: { body: { email: 'admin@example.com', password: 'switchboard-demo' } },
  share: shareOfStrangers,
  limits: [authLimits.account, authLimits.address],
  uses: { identity: 'write', organizations: 'write', passwords: 'hash', tokens: 'sign' },
  async run({ body, headers, sourceIp }, { identity, organizations, passwords, tokens, now, newId }) {
    const { credentials, throttles } = await readLoginAttempt(identity, body.email, sourceIp, now);
    const { organizationId, userId } = credentials?.data ?? nobody;
    const account = actingAs(organizations(organizationId), { type: 'user', id: userId });
    const [{ matches, outdated }, [user, organization]] = await Promise.all([
      credentials === undefined
        ? passwords.verifyNothing(body.password).then(() => ({ matches: false, outdated: false }))
        : passwords.verify(body.password, credentials.data.passwordHash),
      Promise.all([account.read(userKey(userId)), account.read(organizationKey())]),
    ]);
    if (
      credentials === undefined ||
      !matches ||
      user === undefined ||
      user.data.disabled ||
      // The password was changed while it was verified.
      user.data.passwordId !== credentials.data.passwordId ||
      organization === undefined
    ) {
      await countFailure(identity, throttles.counting, now);
      throw new Failure('INVALID_CREDENTIALS', 'Invalid email or password');
    }

    const request = { headers, sourceIp };
    const session =
      user.data.factorId === undefined
        ? newSession({ identity, table: account }, user.data, request, { now, newId })
        : undefined;
    const newSignIn = { event: 'new-sign-in', device: requestDevice(request) } as const;
    const opening =
      session === undefined
        ? passwordActions(identity, throttles, now)
        : [
            ...successActions(identity, throttles, now),
            ...session.actions,
            ...(throttles.isKnown ? [] : [accountNoticeAction(identity, user.data, newSignIn, newId(), now)]),
          ];
    if (outdated) {
      const passwordHash = await passwords.hash(body.password);
      const renewal = identity.replace(credentials, { ...credentials.data, passwordHash });
      await identity.commit([...opening, renewal]).catch(async (error: unknown) => {
        if (!(error instanceof VersionConflict)) {
          throw error;
        }
        // A simultaneous login has stored a new hash, or the password was changed, which ends this session, too.
        await identity.commit(opening);
      });
    } else {
      await identity.commit(opening);
    }
    if (session === undefined) {
      const { passwordId = '', accessRole: role } = user.data;
      const known = throttles.isKnown ? { knownNetwork: sourceNetwork(sourceIp) } : {};
      const mfaToken = await tokens.factorToken({ userId, organizationId, role, passwordId, ...known }, now);
      return { mfaRequired: true as const, mfaToken };
    }
    const { position } = session;
    return signSessionResponse(tokens, { user: user.data, organization: organization.data, position }, now);
  },
});
