import { readContact } from '../../../../shared/contacts/holdings.ts';
import { userKey } from '../../../../shared/organizations/user.ts';
import { involvedPeople, readScope, type Scope, sees } from '../../../../shared/organizations/visibility.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { roleWithin } from '../../../../shared/workflows/own-workflows.ts';
import type { Run } from '../runs/run.ts';

/** The owner of a workflow as of now. */
export interface Owner {
  /** The scope of the owner, also if the owner is disabled. */
  readonly scope: Scope;
  readonly isDisabled: boolean;
}

/** The owner of a workflow, and the most rights that it may use. */
type Owned = Pick<Run, 'userId' | 'most'>;

/** The owners of workflows. */
export interface Owners {
  /** As far as the workflow may use the owner's rights; undefined for one who is gone. */
  read(owned: Owned): Promise<Owner | undefined>;
}

/** Reads each owner once: for one request, or one batch of events. */
export function ownersIn(table: TableReader): Owners {
  const known = new Map<string, Promise<Owner | undefined>>();
  const read = async ({ userId, most }: Owned) => {
    const user = (await table.read(userKey(userId)))?.data;
    return (
      user && {
        scope: await readScope({ userId, role: roleWithin(user, most) }, table),
        isDisabled: user.disabled,
      }
    );
  };
  return {
    read({ userId, most }) {
      const name = JSON.stringify([userId, most]);
      const owner = known.get(name) ?? read({ userId, ...(most && { most }) });
      known.set(name, owner);
      return owner;
    },
  };
}

/** Whether an owner may see, or might if not disabled, a record of these users. */
export const isSeen = (owner: Owner | undefined, people: readonly string[]) =>
  owner !== undefined && sees(owner.scope, people);

/** Whether the owner of a run may see its contact as it is now, or might if not disabled. */
export async function canOwnerSee(
  { table, owners }: { readonly table: TableReader; readonly owners: Owners },
  { contactId, ...owned }: Owned & { readonly contactId: string },
): Promise<boolean> {
  const owner = await owners.read(owned);
  if (owner?.scope.kind === 'organization') {
    return true;
  }
  const contact = await readContact(table, contactId);
  return contact === undefined || isSeen(owner, involvedPeople(contact.data));
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
