import { type Caller, reaches } from '../kernel/caller.ts';
import { Failure } from '../kernel/failure.ts';
import { userKey } from '../organizations/user.ts';
import type { TableReader } from '../table/table.ts';

/**
 * Refuses a caller who is no longer what the token says, by the record of that user as it is now: who lost a role, or was
 * locked out, must not come back by a new account.
 * @throws a 403 `Failure`
 */
export async function requireStill(
  { homeOrganizationId, userId, role }: Caller,
  organizations: (organizationId: string) => TableReader,
): Promise<void> {
  const user = (await organizations(homeOrganizationId).read(userKey(userId)))?.data;
  if (user === undefined || user.disabled || !reaches(user.accessRole, role)) {
    throw new Failure('FORBIDDEN', 'You no longer have the role that your token says. Refresh the session.');
  }
}
