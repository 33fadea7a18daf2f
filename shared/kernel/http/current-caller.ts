import { type Caller, type Role, reaches } from '../caller.ts';
import { Failure, Refused } from '../failure.ts';
import type { Operation } from '../operation.ts';
import type { CallerRecords } from '../ports.ts';

/** Whether the operation acts in an organization that is not the caller's own: the one in the path, or in the header. */
function isAbroad({ organizationId, homeOrganizationId }: Caller, boundTo: string | undefined): boolean {
  return organizationId !== homeOrganizationId || boundTo !== homeOrganizationId;
}

/**
 * The caller, with the user's current role if that is lower than the token's; a higher one comes with the next token. The stored
 * user is looked at where a role that was taken away would still do harm: to do what requires an ADMIN, to delete, and to act in
 * another organization. Everything else is open to any user, as far as the visibility rule reaches, until the token ends.
 * @param boundTo the organization that the port `table` is bound to.
 * @throws `Refused`, as for an invalid token, when the user is disabled or gone; a 403 `Failure` when the current role is too low.
 */
export async function currentCaller(
  { minimumRole, route, deletes }: Operation,
  caller: Caller,
  boundTo: string | undefined,
  records: CallerRecords,
): Promise<Caller> {
  const isForAdministrators = minimumRole !== 'anyone' && reaches(minimumRole, 'ADMIN');
  const needsSuperadmin = isAbroad(caller, boundTo);
  const isDeletion = deletes === true || route.startsWith('DELETE ');
  if (!isForAdministrators && !isDeletion && !needsSuperadmin) {
    return caller;
  }
  const role = requireEnabled(await records.currentRole());
  if (reaches(role, caller.role)) {
    return caller;
  }
  if (needsSuperadmin || (minimumRole !== 'anyone' && !reaches(role, minimumRole))) {
    throw roleLost();
  }
  return { ...caller, role };
}

/** The current role of a caller. @throws `Refused` for a user who is disabled or gone. */
export function requireEnabled(role: Role | undefined): Role {
  if (role === undefined) {
    throw new Refused('invalid');
  }
  return role;
}

/** For a caller whose role was lowered since the token was issued. */
export function roleLost(): Failure {
  return new Failure('FORBIDDEN', 'You no longer have the role in your token. Refresh the session.');
}
