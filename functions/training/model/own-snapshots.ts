import { contactKey } from '../../../shared/contacts/contact.ts';
import { readOwner } from '../../../shared/contacts/holdings.ts';
import type { TrainingSnapshot } from '../../../shared/conversations/snapshot.ts';
import { snapshotEntryRange, snapshotKey } from '../../../shared/conversations/snapshot.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { contactIdIn } from '../../../shared/kernel/child-id.ts';
import type { Paging } from '../../../shared/kernel/schemas/paging.ts';
import { involvedPeople, readScope, sees } from '../../../shared/organizations/visibility.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/**
 * One page of the caller's own snapshots, newest first, in two round trips unless a contact was merged or separated. It leaves out those of contacts that the caller may no
 * longer see, because snapshots quote conversations and let their files be downloaded.
 */
export async function readOwnSnapshots(
  table: TableReader,
  caller: Caller,
  paging: Paging,
): Promise<{ snapshots: TrainingSnapshot[]; nextCursor: string | null }> {
  const [{ records, nextCursor }, scope] = await Promise.all([
    table.page(snapshotEntryRange(caller.userId), { ...paging, descending: true, consistent: true }),
    readScope(caller, table),
  ]);
  const ids = records.map(({ key }) => key.sort.at(-1) ?? '');
  const [snapshots, contacts] = await Promise.all([
    table.readMany(ids.map((id) => snapshotKey(id))),
    table.readMany(ids.map((id) => contactKey(contactIdIn(id)))),
  ]);
  const owners = await Promise.all(
    snapshots.map((snapshot, index) => readOwner(table, snapshot?.data, contacts[index])),
  );
  const visible = snapshots.filter((_, index) => {
    const contact = owners[index];
    return contact !== undefined && sees(scope, involvedPeople(contact.data));
  });
  return { snapshots: visible.flatMap((stored) => stored?.data ?? []), nextCursor };
}
