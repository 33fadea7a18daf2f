import { randomUUID } from 'node:crypto';
import { accountActions } from '../../functions/auth/model/new-account.ts';
import { newOrganization, newOrganizationActions } from '../../functions/auth/model/new-organization.ts';
import { newUser } from '../../functions/auth/model/registration.ts';
import { signSessionResponse } from '../../functions/auth/model/session-response.ts';
import { newSession } from '../../functions/auth/model/sessions.ts';
import type { Role } from '../../shared/kernel/caller.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import { newInvocation, type Providers, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { organizationKey } from '../../shared/organizations/organization.ts';
import { textSettings } from '../../shared/organizations/text-settings.ts';
import { trialPolicies } from '../../shared/organizations/trial-policy.ts';
import type { Action, TableWriter } from '../../shared/table/table.ts';
import type { Person } from './product.ts';

export interface Newcomer {
  readonly role: Role;
  readonly departmentIds?: readonly string[] | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
}

const uses = {
  identity: 'write',
  organizations: 'write',
  passwords: 'hash',
  tokens: 'sign',
  trialPolicy: 'read',
} as const;

type Passwords = Ports<typeof uses>['passwords'];

const hashes = new WeakMap<Passwords, Promise<string>>();

/** The hash of the password that all people in the tests have, computed once. */
function hashOf(password: string, passwords: Passwords): Promise<string> {
  const hash = hashes.get(passwords) ?? passwords.hash(password);
  hashes.set(passwords, hash);
  return hash;
}

/** The settings of a SUPERADMIN for an organization whose people may send texts without numbers of their own, as most tests have them do. */
const standardSenderAction = (table: TableWriter): Action =>
  table.add(textSettings.key, { ...textSettings.initial, standardSender: true });

/**
 * Writes what registration writes, with a session for each person, and checks nothing: most tests need people but are not about
 * registration. People who join an organization together do so in one transaction.
 * @param organizationId the organization to join; a new one unless stated.
 */
export async function signUp(
  providers: Providers,
  password: string,
  newcomers: readonly Newcomer[],
  organizationId?: string,
): Promise<Person[]> {
  const { clock, ports } = newInvocation(systemRuntime, providers);
  const { identity, organizations, passwords, tokens, trialPolicy } = ports(uses) as Ports<typeof uses>;
  const { now, newId } = clock;
  const existing =
    organizationId === undefined ? undefined : await organizations(organizationId).read(organizationKey());
  if (organizationId !== undefined && existing === undefined) {
    throw new Error(`There is no organization ${organizationId}`);
  }
  const passwordHash = await hashOf(password, passwords);
  const organization = existing?.data ?? newOrganization(newId(), "Test Person's organization", now);
  const table = organizations(organization._id);
  const accounts = newcomers.map(({ role, departmentIds = [], firstName = 'Test', lastName = 'Person' }) => {
    const email = `${randomUUID()}@example.com`;
    const person = { email, firstName, lastName, role, departmentIds: [...departmentIds] };
    const user = newUser(newId(), organization._id, person, now);
    return {
      user,
      ...newSession({ identity, table }, user, { headers: {}, sourceIp: '10.0.0.1' }, { now, newId }),
    };
  });
  await identity.commit(
    once([
      ...accounts.flatMap(({ user, actions }) => [
        ...accountActions(identity, table, user, passwordHash),
        ...actions,
      ]),
      ...(existing === undefined
        ? [
            ...newOrganizationActions(table, organization, newId, now),
            ...(trialPolicy === trialPolicies.open ? [standardSenderAction(table)] : []),
          ]
        : []),
    ]),
  );
  return Promise.all(
    accounts.map(async ({ user, position }) => {
      const session = await signSessionResponse(tokens, { user, organization, position }, now);
      const { token, refreshToken, socketToken } = session;
      const { _id: userId, organizationId, email, accessRole: role } = user;
      return { userId, organizationId, email, role, token, refreshToken, socketToken };
    }),
  );
}

/** Two people who join a department change it in the same way, and a transaction takes only one action for an item. */
function once(actions: readonly Action[]): Action[] {
  return [...new Map(actions.map((action) => [JSON.stringify(action.request), action])).values()];
}
