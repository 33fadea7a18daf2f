import type { DueEntry } from '../../../shared/due/due-entry.ts';
import type { PlatformRange } from '../../../shared/table/key.ts';
import { upTo } from '../../../shared/table/key.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import { isPutOff } from './put-off.ts';

/** A range of the sort keys of a part, which begin with a time. Without `from` it starts with the earliest. */
export interface TimeRange {
  readonly from: string | undefined;
  readonly to: string;
}

type Due = Stored<DueEntry, 'platform'>;

/** What a run may try in a range. */
export interface Reading {
  readonly entries: readonly Due[];
  /** Where the range goes on; undefined if it was read to its end. */
  readonly rest: string | undefined;
}

/**
 * Limits of a run: the next comes within a minute. It reads many more entries of a range than it has time for, and tries few of one
 * user.
 */
const most = { read: 5_000, atOnce: 1_000, ofOneUser: 100 };

export const dueRange = (part: string, { from, to }: TimeRange): PlatformRange<DueEntry> => ({
  partition: ['DUE', part],
  between: { ...(from !== undefined && { from }), to },
});

/** Reads what one run may try, without what was put off. Ranges of the same run share the limit of each user. */
export function dueReader(platform: TableReader<'platform'>, part: string, now: Date) {
  const countByUser = new Map<string, number>();
  const isUsedUp = (userId: string) => (countByUser.get(userId) ?? 0) >= most.ofOneUser;

  function isChosen(due: Due): boolean {
    const { userId } = due.data;
    if (isPutOff(due, now) || isUsedUp(userId)) {
      return false;
    }
    countByUser.set(userId, (countByUser.get(userId) ?? 0) + 1);
    return true;
  }

  return async ({ from, to }: TimeRange): Promise<Reading> => {
    const entries: Due[] = [];
    let next = from;
    for (let read = 0; read < most.read; read += most.atOnce) {
      const found = await platform.list(dueRange(part, { from: next, to }), { limit: most.atOnce });
      entries.push(...found.filter(isChosen));
      const last = found.at(-1);
      if (last === undefined || found.length < most.atOnce) {
        return { entries, rest: undefined };
      }
      const [at = '', organizationId = '', userId = '', ...rest] = last.key.sort;
      // Thousands for one user at the same time are left out, so that those of the next one are seen.
      next = upTo([at, organizationId, userId, ...(isUsedUp(userId) ? [] : rest)]);
    }
    return { entries, rest: next };
  };
}
