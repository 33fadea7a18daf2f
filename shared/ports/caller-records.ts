import { type Role, reaches } from '../kernel/caller.ts';
import type { CallerRecords, InvocationScope } from '../kernel/ports.ts';
import { remember } from '../kernel/remember.ts';
import { second } from '../kernel/time.ts';
import { organizationKey } from '../organizations/organization.ts';
import { userKey } from '../organizations/user.ts';
import type { TableReader } from '../table/table.ts';

/**
 * Milliseconds for which a process remembers a role. The read may itself be about a second behind, so that an operation follows a
 * change within 10 seconds.
 */
const rememberedFor = 5 * second;

/** Users whose roles a process remembers. */
const capacity = 1_000;

interface Remembered {
  readonly role: Role;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/**
 * The stored state of callers. What shuts a caller out is not taken from memory: who is enabled again is let in at once, and who comes
 * with the token of a higher role has that role at once.
 */
export function callerRecords(
  organizations: (scope: InvocationScope) => (organizationId: string) => TableReader,
): (scope: InvocationScope) => CallerRecords {
  const roles = new Map<string, Remembered>();

  return (scope) => {
    const { caller, now } = scope;
    if (caller === undefined) {
      throw new Error('The port "callerRecords" needs a caller');
    }
    const { homeOrganizationId, organizationId, userId, role } = caller;
    return {
      async organizationExists() {
        return (await organizations(scope)(organizationId).read(organizationKey())) !== undefined;
      },
      async currentRole() {
        const id = `${homeOrganizationId} ${userId}`;
        const known = roles.get(id);
        if (known !== undefined && known.until > now.getTime() && reaches(known.role, role)) {
          return known.role;
        }
        const table = organizations(scope)(homeOrganizationId);
        const user = (await table.read(userKey(userId), { consistent: false }))?.data;
        if (user === undefined || user.disabled) {
          return undefined;
        }
        remember(roles, id, { role: user.accessRole, until: now.getTime() + rememberedFor }, capacity);
        return user.accessRole;
      },
    };
  };
}
