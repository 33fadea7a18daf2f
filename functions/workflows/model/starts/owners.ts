import { contactKey } from '../../../../shared/contacts/contact.ts';
import type { User } from '../../../../shared/organizations/user.ts';
import { userKey } from '../../../../shared/organizations/user.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { peopleOf, type Scope, scopeOf, sees } from '../../../../shared/visibility.ts';

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

/** Whether an owner may see, or might if not disabled, a record of these users. */
export const isSeen = (owner: Owner | undefined, people: readonly string[]) =>
  owner !== undefined && sees(owner.scope, people);

/** Whether the owner of a run may see its contact as it is now, or might if not disabled. */
export async function ownerSees(
  { table, owners }: { readonly table: TableReader; readonly owners: Owners },
  { userId, contactId }: { readonly userId: string; readonly contactId: string },
): Promise<boolean> {
  const owner = await owners.read(userId);
  if (owner?.scope.kind === 'organization') {
    return true;
  }
  const contact = await table.read(contactKey(contactId));
  return contact === undefined || isSeen(owner, peopleOf(contact.data));
}

/** Why the owner of a workflow can have no run for a contact; undefined for one who can. */
export function refusalByOwner(
  owner: Owner | undefined,
  people: readonly string[],
): 'owner_disabled' | 'contact_not_visible' | undefined {
  if (owner === undefined || owner.isDisabled) {
    return 'owner_disabled';
  }
  return isSeen(owner, people) ? undefined : 'contact_not_visible';
}
