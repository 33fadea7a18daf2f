import { encodeTime } from 'ulid';
import { type LogEntry, logEntryKey, logKeptFor } from '../../../shared/events/log-entry.ts';
import type { Paging } from '../../../shared/kernel/schemas/paging.ts';
import { after, utcDay } from '../../../shared/kernel/time.ts';
import { joined } from '../../../shared/table/key.ts';
import { type MergedPage, readMergedPage } from '../../../shared/table/merged-page.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** What the entries of a page have in common. */
export interface LogQuery extends Paging {
  readonly event?: readonly string[] | undefined;
  readonly entity?: readonly string[] | undefined;
  readonly entityId?: string | undefined;
  readonly actorId?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

const idLength = 26;

/** The sort key of an entry of this time, padded. */
const sortAt = (time: Date, padding: '0' | 'Z') =>
  joined(logEntryKey(encodeTime(Math.max(0, time.getTime())).padEnd(idLength, padding)).sort);

/** A time in the years to come. */
const someday = new Date('9999-12-31');

/**
 * A page of the log, newest first. Times are those of the ids. Other conditions look at what is read, and that is limited. It begins with a
 * whole day, so that the cursors of somebody who reads to the end stay good.
 */
export function readLogPage(
  table: TableReader,
  { event, entity, entityId, actorId, from, to = someday, limit, cursor }: LogQuery,
  now: Date,
): Promise<MergedPage<LogEntry>> {
  const kept = new Date(utcDay(after(now, -logKeptFor)));
  const { partition } = logEntryKey('-');
  const between = {
    from: sortAt(from === undefined || from < kept ? kept : from, '0'),
    to: sortAt(to, 'Z'),
  };
  const matches = (entry: LogEntry) =>
    event?.includes(entry.event) !== false &&
    entity?.includes(entry.entity.type) !== false &&
    (entityId === undefined || entry.entity.id === entityId) &&
    (actorId === undefined || ('id' in entry.actor && entry.actor.id === actorId));
  const isConditional = [event, entity, entityId, actorId].some((condition) => condition !== undefined);
  const ranges = between.from <= between.to ? [{ partition, between }] : [];
  return readMergedPage(table, ranges, {
    limit,
    cursor,
    ...(isConditional && { matches }),
  });
}
