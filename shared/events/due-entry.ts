import { crc32 } from 'node:zlib';
import type { Timestamp } from '../kernel/time.ts';
import type { Cause } from '../table/cause.ts';
import type { PlatformKey } from '../table/key.ts';
import type { Action, Stored, TableWriter } from '../table/table.ts';

/** The kinds of entries that can be due later. Each kind has one `dueOperation`; without it nothing can be built. */
export const dueKinds = [
  'apiKeyExpiry',
  'bulkJob',
  'exportJob',
  'importJob',
  'missedCallText',
  'reminder',
  'revertJob',
  'scheduledMessage',
  'webhookRetry',
  'workflowRun',
] as const;

export type DueKind = (typeof dueKinds)[number];

/**
 * Something to do at a time, in any organization: just enough to find its record. It holds ids alone, never a text, name or number of
 * a contact. It is derived from its record, which can therefore find it again.
 */
export interface DueEntry {
  readonly kind: DueKind;
  /** When it is due; for what was due before it was written, when it was written. */
  readonly at: Timestamp;
  readonly organizationId: string;
  /**
   * The id of the user for whom it is done, of the contact whose run continues, of the API key that expires, of the
   * webhook endpoint that an event is posted to again, or of the job that goes on. Entries of one group are done one after the other, and
   * groups take turns.
   */
  readonly group: string;
  /** The organization of that user, if it is another one: a SUPERADMIN acts in any. */
  readonly userOrganizationId?: string;
  /** The id of its record. */
  readonly id: string;
  /** The events to post again. */
  readonly eventIds?: readonly string[];
  /** The conversation of its record, where that is needed to find it. */
  readonly conversationId?: string;
  /** The run of a workflow that scheduled it. */
  readonly causedBy?: Cause;
}

/** Holds what is due in all organizations, so that nobody reads every organization. */
type Platform = TableWriter<'platform'>;

/** Schedules an entry, in the transaction of its cause. */
export function scheduleAction(platform: Platform, entry: DueEntry): Action {
  return platform.add(dueKeyFor(entry), entry);
}

/** Cancels an entry, in the transaction of its cause; one that is gone does no harm. */
export function cancelAction(platform: Platform, entry: DueEntry): Action {
  return platform.delete(dueKeyFor(entry));
}

/** When an entry is due: never before it is written, so that it is among the entries of the last minutes, which are done first. */
export function dueAt(at: Timestamp, writtenAt: Timestamp): Timestamp {
  return at < writtenAt ? writtenAt : at;
}

/** Ends an entry, in the transaction of what was due: it happens once. @throws `AlreadyDone` when another run was faster. */
export function endAction(platform: Platform, entry: Stored<DueEntry, 'platform'>): Action {
  return platform.delete(entry.key, { ifVersion: entry.version, otherwise: () => new AlreadyDone() });
}

/** Another run did what was due, or it was cancelled or rescheduled. */
export class AlreadyDone extends Error {
  constructor() {
    super('Another run did, cancelled or rescheduled this');
    this.name = 'AlreadyDone';
  }
}

/**
 * The due entries are divided into this many parts, each done by a separate run: many organizations have entries at nine o'clock, and one
 * partition can end about 500 entries a second.
 */
export const dueParts = 5;

/** The part that has all entries of a group. */
export const duePart = (group: string): string => String(crc32(group) % dueParts);

/** The key of an entry. It follows from the entry, so that its record can cancel and reschedule it. */
export const dueKeyFor = (entry: DueEntry): PlatformKey<DueEntry> => dueKey(duePart(entry.group), entry);

/** Sorted by time: overdue entries are at the beginning of their part, however long no run has looked. */
export const dueKey = (
  part: string,
  { at, organizationId, group, kind, id }: DueEntry,
): PlatformKey<DueEntry> => ({
  partition: ['DUE', part],
  sort: [at, organizationId, group, kind, id],
});
