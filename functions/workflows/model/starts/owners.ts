import type { User } from '../../../../shared/organizations/user.ts';
import { userKey } from '../../../../shared/organizations/user.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { type Scope, scopeOf } from '../../../../shared/visibility.ts';

/** The owner of a workflow as of now. */
export interface Owner {
  /** What the owner may see, or might if not disabled. */
  readonly scope: Scope;
  readonly isDisabled: boolean;
}

/** The owners of workflows. */
export interface Owners {
  /** Undefined for one who is gone. */
  read(userId: string): Promise<Owner | undefined>;
}

/** Reads each owner once: for one request, or one batch of events. */
export function ownersIn(table: TableReader): Owners {
  const known = new Map<string, Promise<Owner | undefined>>();
  const read = async (userId: string) => {
    const user = (await table.read(userKey(userId)))?.data;
    return user && { scope: await scopeOf(viewerOf(user), table), isDisabled: user.disabled };
  };
  return {
    read(userId) {
      const owner = known.get(userId) ?? read(userId);
      known.set(userId, owner);
      return owner;
    },
  };
}

const viewerOf = ({ _id: userId, accessRole: role }: User) => ({ userId, role });
