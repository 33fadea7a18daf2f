import * as z from 'zod/mini';
import { NewPassword } from '../../../shared/kernel/auth/passwords.ts';
import { type Caller, type Role, reaches, roles } from '../../../shared/kernel/caller.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { sourceNetwork } from '../../../shared/kernel/http/source-address.ts';
import { Id, Name, nameLimit } from '../../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { departmentLimit } from '../../../shared/organizations/departments.ts';
import type { Organization } from '../../../shared/organizations/organization.ts';
import { fullName, type User } from '../../../shared/organizations/user.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { throttleKey } from './credentials.ts';
import { NewEmail } from './email.ts';
import { authLimits, windowPolicy } from './login-policy.ts';
import { countAttempt } from './throttle.ts';

export const Registration = z.object({
  email: NewEmail,
  password: NewPassword,
  firstName: Name,
  lastName: Name,
  organizationId: z.optional(Id),
  organizationName: z.optional(Name),
  role: z._default(z.enum(roles), 'SALES_REP'),
  departmentIds: z._default(z.array(Id).check(z.maxLength(departmentLimit)), []),
});
export type Registration = z.output<typeof Registration>;

/** The organization of the new user; undefined if it is to be created. @throws a 403 `Failure`. */
export function organizationToJoin(
  registrar: Caller | undefined,
  { organizationId }: Registration,
): string | undefined {
  if (registrar === undefined) {
    return organizationId;
  }
  if (!reaches(registrar.role, 'ADMIN')) {
    throw forbidden('Only an ADMIN or SUPERADMIN may register users.');
  }
  if (
    registrar.role !== 'SUPERADMIN' &&
    organizationId !== undefined &&
    organizationId !== registrar.organizationId
  ) {
    throw forbidden('An ADMIN may register users only in their own organization.');
  }
  return organizationId ?? registrar.organizationId;
}

/**
 * Refuses what the registrar may not do. `existing` is the organization; undefined if it does not exist yet or at all.
 * @throws a 403 `Failure`; a 404 when the organization that a SUPERADMIN names does not exist.
 */
export function authorize(
  registrar: Caller | undefined,
  registration: Registration,
  existing: Organization | undefined,
): void {
  if (
    registrar === undefined &&
    registration.organizationId !== undefined &&
    existing?.registrationMode !== 'open'
  ) {
    // In the same words if the organization does not exist, so that nobody learns which ones do.
    throw forbidden('This organization is not open for registration. Ask one of its administrators.');
  }
  if (registrar !== undefined && existing === undefined) {
    throw new Failure('NOT_FOUND', 'Organization not found');
  }
  if (!reaches(ceiling(registrar, existing), registration.role)) {
    throw forbidden('You may not assign this role.');
  }
  if (registrar === undefined && registration.departmentIds.length > 0) {
    throw forbidden('Only an ADMIN or SUPERADMIN may set departmentIds.');
  }
}

/** The highest role that the new user may have. Source: decisions 3, the three rows "Register". */
function ceiling(registrar: Caller | undefined, existing: Organization | undefined): Role {
  return registrar?.role ?? (existing === undefined ? 'ADMIN' : 'SALES_REP');
}

/** The record of a new user, enabled, in each department once. */
export function newUser(
  id: string,
  organizationId: string,
  registration: Pick<Registration, 'email' | 'firstName' | 'lastName' | 'role' | 'departmentIds'>,
  now: Date,
): User {
  const { email, firstName, lastName, role, departmentIds } = registration;
  return {
    _id: id,
    organizationId,
    email,
    firstName,
    lastName,
    accessRole: role,
    departmentIds: [...new Set(departmentIds)],
    conversationOpenPreference: 'latest',
    disabled: false,
    createdAt: timestamp(now),
    updatedAt: timestamp(now),
  };
}

/** The name that the registration gives its organization, or else `Ada Lovelace's organization`, cut to what a name may have. */
export function organizationName({ organizationName: given, ...person }: Registration): string {
  return given ?? [...`${fullName(person)}'s organization`].slice(0, nameLimit).join('');
}

const forbidden = (message: string) => new Failure('FORBIDDEN', message);

/**
 * Counts a registration without a bearer token from this address. `limit` is of 5 minutes; null counts nothing.
 * @throws a 429 `Failure` beyond the limit.
 */
export async function countRegistration(
  identity: TableWriter<'identity'>,
  sourceIp: string,
  limit: number | null,
  now: Date,
): Promise<void> {
  if (limit === null) {
    return;
  }
  const key = throttleKey('REGISTRATION', sourceNetwork(sourceIp));
  const policy = windowPolicy(
    limit,
    authLimits.registration.window,
    'Too many registrations from your address. Try again later.',
    authLimits.registration,
  );
  await countAttempt(identity, { key, policy, failures: undefined }, now);
}
