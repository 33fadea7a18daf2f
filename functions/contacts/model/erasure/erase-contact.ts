import { type Call, dueMissedCallText } from '../../../../shared/calls/call.ts';
import { contactKey, contactRange } from '../../../../shared/contacts/contact.ts';
import type { Message } from '../../../../shared/conversations/conversation.ts';
import { snapshotEntryKey, type TrainingSnapshot } from '../../../../shared/conversations/snapshot.ts';
import { type DueEntry, dueKeyFor } from '../../../../shared/events/due-entry.ts';
import { chunks } from '../../../../shared/kernel/chunks.ts';
import { forEachOrThrow } from '../../../../shared/kernel/for-each-concurrently.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { unpacked } from '../../../../shared/kernel/packing.ts';
import { dueMessage } from '../../../../shared/messages/scheduled-message.ts';
import { type SentMessage, sentMessageKey } from '../../../../shared/messages/sent-message.ts';
import { deleteLater, type OwnedObjects } from '../../../../shared/notes/owned-objects.ts';
import {
  dueReminder,
  type Reminder,
  type ReminderTables,
  reminderEntryKey,
} from '../../../../shared/notes/reminder.ts';
import { eraseNotifications } from '../../../../shared/notifications/erase-notifications.ts';
import type { Notified } from '../../../../shared/notifications/notification.ts';
import { toDigest } from '../../../../shared/table/digest.ts';
import { type Key, keyParts, type PlatformKey } from '../../../../shared/table/key.ts';
import type { RawRow } from '../../../../shared/table/table.ts';
import { eraseNumber } from './erase-number.ts';
import { eraseRun } from './erase-run.ts';

type Clock = Pick<ClockAndIds, 'now' | 'newId'>;

/** Rows that are deleted together, and how many of them have their traces in records of others deleted at the same time. */
const [rowsTogether, width] = [25, 5];

/**
 * Deletes everything in the partition of a deleted contact, and first what only its rows lead to: list entries, notifications, the
 * number in calls. Objects follow, because the stream reports the deletion of their records; objects that are only announced may still
 * be stored, so they follow once more within hours. Continues where an interrupted run ended, because deleted rows are not found
 * again; looks again until there is nothing, because a reminder that fires or a note that is edited at this moment may add a row
 * behind the reading. Once the time is up it deletes a few rows at least.
 * @returns whether there is nothing left.
 */
export async function eraseContact(
  tables: ReminderTables,
  contactId: string,
  clock: Clock,
  isTimeUp: () => boolean,
): Promise<boolean> {
  for (;;) {
    const deleted = await eraseRows(tables, contactId, clock, isTimeUp);
    if (deleted !== 'all') {
      return deleted === 'none';
    }
    // Rows may have been added behind the reading: read once more.
  }
}

/** Deletes the rows that there are, or some of them if the time is up. Resolves with `none` when there are none. */
async function eraseRows(
  tables: ReminderTables,
  contactId: string,
  clock: Clock,
  isTimeUp: () => boolean,
): Promise<'all' | 'some' | 'none'> {
  let deleted: 'all' | 'none' = 'none';
  for await (const found of tables.table.rows(contactRange(contactId), { consistent: true })) {
    const rows = found.filter(({ sk }) => !isLate(sk));
    for (const some of chunks(rows, rowsTogether)) {
      if (deleted === 'all' && isTimeUp()) {
        return 'some';
      }
      await eraseTogether(tables, contactId, some, clock);
      deleted = 'all';
    }
  }
  return deleted;
}

/** Deletes these rows, and first what only they lead to. */
async function eraseTogether(
  { table, platform }: ReminderTables,
  contactId: string,
  rows: readonly RawRow[],
  clock: Clock,
): Promise<void> {
  const { partition } = contactKey(contactId);
  await forEachOrThrow(rows, width, (row) => eraseElsewhere({ table, platform }, contactId, row, clock));
  await platform.deleteMany([
    ...rows.flatMap((row) => dueEntriesIn(table.organizationId, row)).map(dueKeyFor),
    ...rows.flatMap(sentMessageIn),
  ]);
  await table.deleteMany([...remindersIn(rows).map(reminderEntryKey), ...rows.flatMap(snapshotEntryOf)]);
  await table.deleteMany(rows.map(({ sk }) => ({ partition, sort: keyParts(sk) })));
}

/** Whether a row stays until it expires (`lateObjectsKey`). */
const isLate = (sk: string) => keyParts(sk).at(2) === 'LATE';

/** Deletes the traces of a row in other records, which need transactions of their own, and has objects deleted that may still be stored. */
async function eraseElsewhere(
  { table, platform }: ReminderTables,
  contactId: string,
  { sk, data }: RawRow,
  clock: Clock,
): Promise<void> {
  const parts = keyParts(sk);
  const [kind, id = ''] = parts;
  if (kind === 'VOICECALL') {
    await eraseNumber(table, id);
  } else if (kind === 'RUN') {
    await eraseRun({ table, platform }, { partition: contactKey(contactId).partition, sort: [kind, id] });
  } else if (kind === 'NOTIFIED' && data !== undefined) {
    await eraseNotifications(table, parts.at(-1) ?? '', unpacked<Notified>(data).userIds, clock);
  } else if (kind === 'OBJECTS' && data !== undefined) {
    const { objects, isAnnounced } = unpacked<OwnedObjects>(data);
    await (isAnnounced && deleteLater(table, contactId, id, objects, clock.now));
  }
}

function remindersIn(rows: readonly RawRow[]): Reminder[] {
  return rows.flatMap(({ sk, data }) =>
    keyParts(sk)[0] === 'REMINDER' && data !== undefined ? [unpacked<Reminder>(data)] : [],
  );
}

/** The key that finds a message by the provider's id; none for any other row, and for a message that no provider has taken. */
function sentMessageIn({ sk, data }: RawRow): PlatformKey<SentMessage>[] {
  if (keyParts(sk)[0] !== 'MESSAGE' || data === undefined) {
    return [];
  }
  const { direction, channel, providerMessageId } = unpacked<Message>(data);
  const isSent = direction === 'outbound' && channel === 'sms' && providerMessageId !== null;
  return isSent ? [sentMessageKey(toDigest(providerMessageId))] : [];
}

/** The entry of a training snapshot in its creator's list; none for any other row. */
function snapshotEntryOf({ sk, data }: RawRow): Key<unknown>[] {
  if (keyParts(sk)[0] !== 'SNAPSHOT' || data === undefined) {
    return [];
  }
  const { createdBy, _id } = unpacked<TrainingSnapshot>(data);
  return [snapshotEntryKey(createdBy, _id)];
}

type DueOf = (organizationId: string, data: NonNullable<RawRow['data']>) => DueEntry | undefined;

/** The due entries of each kind of row. */
const byKind: Readonly<Record<string, DueOf>> = {
  MESSAGE: (organizationId, data) => dueMessage(organizationId, unpacked<Message>(data)),
  REMINDER: (organizationId, data) => dueReminder(organizationId, unpacked<Reminder>(data)),
  VOICECALL: (_, data) => dueMissedCallText(unpacked<Call>(data)),
};

/** The entries that are due later because of a row in the partition of a contact. */
function dueEntriesIn(organizationId: string, { sk, data }: RawRow): DueEntry[] {
  const [kind = ''] = keyParts(sk);
  const entry = data === undefined ? undefined : byKind[kind]?.(organizationId, data);
  return entry === undefined ? [] : [entry];
}
