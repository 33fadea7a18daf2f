import { type Caller, reaches } from '../kernel/caller.ts';
import { requireEnabled, roleLost } from '../kernel/http/current-caller.ts';
import type { TableReader } from '../table/table.ts';
import { userKey } from './user.ts';

/**
 * Refuses a caller whose user is disabled or no longer has the token's role, by a consistent read: the kernel's check may be a few
 * seconds behind, and in that time the caller could register another account.
 * @throws `Refused` for a user who is disabled or gone; a 403 `Failure` for a lower role.
 */
export async function requireCurrentRole(
  { homeOrganizationId, userId, role }: Caller,
  organizations: (organizationId: string) => TableReader,
): Promise<void> {
  const user = (await organizations(homeOrganizationId).read(userKey(userId)))?.data;
  if (!reaches(requireEnabled(user?.disabled ? undefined : user?.accessRole), role)) {
    throw roleLost();
  }
}
