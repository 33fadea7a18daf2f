import { actingAs } from '../../shared/events/outbox.ts';
import { callingActor } from '../../shared/kernel/actor.ts';
import { newPasswordMeaning } from '../../shared/kernel/auth/passwords.ts';
import { bearerToken, type TokenVerifier } from '../../shared/kernel/auth/tokens.ts';
import { type Caller, factorRequired, toCaller } from '../../shared/kernel/caller.ts';
import { Failure, Refused } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { isApiKey } from '../../shared/organizations/api-key-secret.ts';
import { departmentNotFound } from '../../shared/organizations/departments.ts';
import { organizationKey } from '../../shared/organizations/organization.ts';
import { requireCurrentRole } from '../../shared/organizations/require-current-role.ts';
import { commitCounted, trialLimits } from '../../shared/organizations/trial-records.ts';
import { emailDigest } from './model/email.ts';
import { refuseGuessable } from './model/guessable-password.ts';
import { authLimits } from './model/login-policy.ts';
import { knownNetworkAction } from './model/login-throttle.ts';
import { accountActions } from './model/new-account.ts';
import { newOrganization, newOrganizationActions } from './model/new-organization.ts';
import {
  authorize,
  countRegistration,
  newUser,
  organizationName,
  organizationToJoin,
  Registration,
} from './model/registration.ts';
import { SessionResponse, signSessionResponse } from './model/session-response.ts';
import { newSession } from './model/sessions.ts';
import { shareOfStrangers } from './model/shares.ts';

export default operation({
  route: 'POST /api/auth/register',
  summary: 'Register a user',
  description: [
    'Without a bearer token and without `organizationId`: creates an organization with the new user as its first; `role` may be at most ADMIN. Without a bearer token but with `organizationId`: adds the user as a SALES_REP if the organization is open for registration. With the bearer token of an ADMIN (their own organization) or a SUPERADMIN (any organization, named by `organizationId` or the header `x-organization-id`): adds the user there, with a role no higher than your own, which you must still have, whatever your token says.',
    'The response is the session of the new user. Beyond a limit that [Auth](#/Auth) explains, it is 429, and `Retry-After` says for how many seconds.',
  ].join('\n\n'),
  family: 'auth',
  minimumRole: 'anyone',
  status: 201,
  body: Registration,
  descriptions: {
    email: 'Unique across all organizations; compared in lower case, after NFKC normalization.',
    password: newPasswordMeaning,
    firstName: 'First name of the new user.',
    lastName: 'Last name of the new user.',
    organizationId: 'The organization to join. Without it and without a bearer token, a new one is created.',
    organizationName: "The name of the new organization; by default it is made from the user's name.",
    role: 'The role of the new user.',
    departmentIds: 'Departments of the organization; only an ADMIN or SUPERADMIN may set them.',
  },
  output: SessionResponse,
  failures: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'TOO_MANY_ATTEMPTS'],
  example: {
    body: {
      email: 'jane@example.com',
      password: 'correct horse battery staple',
      firstName: 'Jane',
      lastName: 'Doe',
      role: 'ADMIN',
    },
  },
  share: shareOfStrangers,
  limits: [authLimits.registration, trialLimits.users],
  uses: {
    identity: 'write',
    organizations: 'write',
    passwords: 'hash',
    tokens: 'sign',
    trialPolicy: 'read',
  },
  async run(
    { body, headers, sourceIp },
    { identity, organizations, passwords, tokens, trialPolicy, now, newId },
  ) {
    const registrar = await registrarOf(headers, tokens, now);
    const organizationId = organizationToJoin(registrar, body);
    const [existing] = await Promise.all([
      organizationId === undefined ? undefined : organizations(organizationId).read(organizationKey()),
      registrar === undefined ? undefined : requireCurrentRole(registrar, organizations),
    ]);
    authorize(registrar, body, existing?.data);
    if (registrar === undefined) {
      await countRegistration(identity, sourceIp, trialPolicy.registrationsPerAddress, now);
    }

    await refuseGuessable('password', body.password, body.email);
    const organization = existing?.data ?? newOrganization(newId(), organizationName(body), now);
    const user = newUser(newId(), organization._id, body, now);
    const actor = registrar === undefined ? { type: 'user' as const, id: user._id } : callingActor(registrar);
    const table = actingAs(organizations(organization._id), actor);
    const { actions: session, position } = newSession(
      { identity, table },
      user,
      { headers, sourceIp },
      { now, newId },
    );
    const joining = existing === undefined ? undefined : { eventId: newId(), now };
    const passwordHash = await passwords.hash(body.password);
    const actions = [
      ...accountActions(identity, table, user, passwordHash, {
        noDepartment: (id) => departmentNotFound(body.departmentIds, id),
        joining,
      }),
      ...(existing === undefined ? newOrganizationActions(table, organization, newId, now) : []),
      ...session,
      // The user is told about logins from other networks.
      knownNetworkAction(identity, emailDigest(user.email), sourceIp, now),
    ];
    await commitCounted({ table, trialPolicy, now }, 'users', (counted) =>
      identity.commit([...actions, ...counted]),
    );
    return signSessionResponse(tokens, { user, organization, position }, now);
  },
});

/** The caller with this bearer token; undefined without one. An invalid token is refused, not ignored. */
async function registrarOf(
  { authorization, 'x-organization-id': organizationHeader }: Readonly<Record<string, string | undefined>>,
  tokens: TokenVerifier,
  now: Date,
): Promise<Caller | undefined> {
  if (authorization === undefined) {
    return undefined;
  }
  const token = bearerToken(authorization) ?? '';
  if (isApiKey(token)) {
    throw new Failure('FORBIDDEN', 'No API key may do this. Log in as a user.');
  }
  const claims = await tokens.access(token, now);
  if (typeof claims === 'string') {
    throw new Refused(claims);
  }
  if (claims.limitedTo !== undefined) {
    throw factorRequired();
  }
  return toCaller(claims, organizationHeader);
}
