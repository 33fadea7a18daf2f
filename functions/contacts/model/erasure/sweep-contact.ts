import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { second } from '../../../../shared/kernel/time.ts';
import type { ReminderTables } from '../../../../shared/notes/reminder.ts';
import type { Key } from '../../../../shared/table/key.ts';
import { eraseContact } from './erase-contact.ts';
import { markUnerasedEvents } from './erase-events.ts';

/** Milliseconds after which a batch begins to delete no further rows: the changes of all other organizations wait for it. */
const sweepingTime = 2 * second;

/** Tells whether the time of a batch that begins now is over. */
export function sweepTimer(): () => boolean {
  const end = AbortSignal.timeout(sweepingTime);
  return () => end.aborted;
}

/** The rest of a deleted contact, of which there was too much for one batch of the stream. */
export interface SweepRest {
  /** Another one each time, so that the stream reports it. */
  readonly id: string;
}

/** In the partition of the contact: it is deleted with the rest. */
export const sweepRestKey = (contactId: string): Key<SweepRest> => ({
  partition: ['CONTACT', contactId],
  sort: ['SWEEP'],
});

/** Deletes what is stored about a deleted contact but for its events, which are noted, or some of it and leaves the rest to a later batch. */
export async function sweepContact(
  tables: ReminderTables,
  contactId: string,
  clock: Pick<ClockAndIds, 'now' | 'newId'>,
  isTimeUp: () => boolean,
): Promise<void> {
  const isDone = await eraseContact(tables, contactId, clock, isTimeUp);
  const { table, platform } = tables;
  if (isDone) {
    await markUnerasedEvents(platform, table.organizationId, clock.now);
  } else {
    await table.commit([table.put(sweepRestKey(contactId), { id: clock.newId() })]);
  }
}
