import type { CallerRecords, InvocationScope } from '../kernel/ports.ts';
import { organizationKey } from '../organizations/organization.ts';
import { userKey } from '../organizations/user.ts';
import type { TableReader } from '../table/table.ts';

/** The stored state of callers. An operation follows a change of a role within about a second, by which the read may be behind. */
export function callerRecords(
  organizations: (scope: InvocationScope) => (organizationId: string) => TableReader,
): (scope: InvocationScope) => CallerRecords {
  return (scope) => {
    const { caller } = scope;
    if (caller === undefined) {
      throw new Error('The port "callerRecords" needs a caller');
    }
    const { homeOrganizationId, organizationId, userId } = caller;
    return {
      async organizationExists() {
        return (await organizations(scope)(organizationId).read(organizationKey())) !== undefined;
      },
      async currentRole() {
        const table = organizations(scope)(homeOrganizationId);
        const user = (await table.read(userKey(userId), { consistent: false }))?.data;
        return user === undefined || user.disabled ? undefined : user.accessRole;
      },
    };
  };
}
