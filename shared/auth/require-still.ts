import { type Caller, reaches } from '../kernel/caller.ts';
import { Failure } from '../kernel/failure.ts';
import { userKey } from '../organizations/user.ts';
import type { TableReader } from '../table/table.ts';

/**
 * Refuses a caller whose stored user no longer has the token's role or is disabled. Otherwise they could come back by creating an
 * account.
 * @throws a 403 `Failure`
 */
export async function requireStill(
  { homeOrganizationId, userId, role }: Caller,
  organizations: (organizationId: string) => TableReader,
): Promise<void> {
  const user = (await organizations(homeOrganizationId).read(userKey(userId)))?.data;
  if (user === undefined || user.disabled || !reaches(user.accessRole, role)) {
    throw new Failure('FORBIDDEN', 'You no longer have the role in your token. Refresh the session.');
  }
}
