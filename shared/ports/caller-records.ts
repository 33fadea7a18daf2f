import { lowerRole } from '../kernel/caller.ts';
import type { CallerRecords, InvocationScope } from '../kernel/ports.ts';
import { apiKeyKey, secretEnd } from '../organizations/api-key.ts';
import { organizationKey } from '../organizations/organization.ts';
import { userKey } from '../organizations/user.ts';
import type { TableReader } from '../table/table.ts';

/**
 * The stored state of callers. An operation follows a change of a role within about a second, by which the read may be behind, and the
 * end of an API key at once.
 */
export function callerRecords(
  organizations: (scope: InvocationScope) => (organizationId: string) => TableReader,
): (scope: InvocationScope) => CallerRecords {
  return (scope) => {
    const { caller, now } = scope;
    if (caller === undefined) {
      throw new Error('The port "callerRecords" needs a caller');
    }
    const { homeOrganizationId, organizationId, userId, key } = caller;
    return {
      async organizationExists() {
        return (await organizations(scope)(organizationId).read(organizationKey())) !== undefined;
      },
      async currentStanding() {
        const table = organizations(scope)(homeOrganizationId);
        const [found, apiKey] = await Promise.all([
          table.read(userKey(userId), { consistent: false }),
          key && table.read(apiKeyKey(key.id)),
        ]);
        const user = found?.data;
        if (user === undefined || user.disabled) {
          return undefined;
        }
        if (key === undefined) {
          return { role: user.accessRole };
        }
        return apiKey === undefined || secretEnd(apiKey.data, key.digest, now) === undefined
          ? undefined
          : { role: lowerRole(user.accessRole, apiKey.data.role), keyVersion: apiKey.version };
      },
    };
  };
}
