import { contactKey } from '../../../../shared/contacts/contact.ts';
import type { StoredEvent } from '../../../../shared/events/outbox.ts';
import { forEachOrThrow } from '../../../../shared/kernel/for-each-concurrently.ts';
import { readAll } from '../../../../shared/table/read-all.ts';
import type { TableWriter } from '../../../../shared/table/table.ts';
import { timelineChanges } from './told-changes.ts';

/** Entries that are written at the same time. */
const width = 10;

/**
 * Writes what events of one organization tell into the timelines of their contacts; the same however often they are delivered. A contact
 * that is deleted meanwhile keeps nothing: either the contact is still there after the entry was written, so that its deletion finds the
 * entry, or the entry is deleted here.
 * @returns how many entries there were.
 */
export async function writeTimeline(table: TableWriter, events: readonly StoredEvent[]): Promise<number> {
  const entries = events.flatMap(timelineChanges);
  await forEachOrThrow(entries, width, ({ key, change, expiresAt }) =>
    table.commit([table.put(key, change, { expiresAt })]),
  );
  const contactIds = [...new Set(entries.map(({ key }) => key.partition.at(-1) ?? ''))];
  const contacts = await readAll(table, contactIds.map(contactKey));
  const gone = new Set(contactIds.filter((_, index) => contacts[index] === undefined));
  await table.deleteMany(
    entries.map(({ key }) => key).filter(({ partition }) => gone.has(partition.at(-1) ?? '')),
  );
  return entries.length;
}
