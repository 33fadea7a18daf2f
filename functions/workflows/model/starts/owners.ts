import type { User } from '../../../../shared/organizations/user.ts';
import { userKey } from '../../../../shared/organizations/user.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { type Scope, scopeOf } from '../../../../shared/visibility.ts';

/** What owners of workflows may see now. */
export interface Owners {
  /** Undefined for an owner who is disabled or gone. */
  scopeOf(userId: string): Promise<Scope | undefined>;
}

/** Reads each owner once: for one request, or one batch of events. */
export function ownersIn(table: TableReader): Owners {
  const known = new Map<string, Promise<Scope | undefined>>();
  const read = async (userId: string) => {
    const user = (await table.read(userKey(userId)))?.data;
    return user === undefined || user.disabled ? undefined : scopeOf(viewerOf(user), table);
  };
  return {
    scopeOf(userId) {
      const scope = known.get(userId) ?? read(userId);
      known.set(userId, scope);
      return scope;
    },
  };
}

const viewerOf = ({ _id: userId, accessRole: role }: User) => ({ userId, role });
