import type { DueEntry } from '../../../shared/events/due-entry.ts';
import type { PlatformRange } from '../../../shared/table/key.ts';
import { joined, upTo } from '../../../shared/table/key.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import { isPostponed } from './postpone.ts';

/** A range of the sort keys of a part, which begin with a time. Without `from` it starts with the earliest. */
export interface SortKeyRange {
  readonly from: string | undefined;
  readonly to: string;
}

type Due = Stored<DueEntry, 'platform'>;

/** Limits what a run may try in a range. */
export interface Reading {
  readonly entries: readonly Due[];
  /** Where the rest of the range begins; undefined if it was read to its end. */
  readonly rest: string | undefined;
  /** The first entry that was left out because its group had enough others; undefined if there is none. */
  readonly passedOver: string | undefined;
}

/** How many entries one request reads, and how many are chosen before they are done and others read. */
const most = { atOnce: 1_000, chosen: 5_000 };

export const dueRange = (part: string, { from, to }: SortKeyRange): PlatformRange<DueEntry> => ({
  partition: ['DUE', part],
  between: { ...(from !== undefined && { from }), to },
});

export interface Part {
  readonly platform: TableReader<'platform'>;
  readonly part: string;
  readonly now: Date;
  readonly isTimeUp: () => boolean;
}

/**
 * Reads what a run may try: no postponed entries, and at most `ofOneGroup` entries of each group, over all ranges that this reader
 * reads. However many entries one group has, it reads on until it has found enough of others.
 */
export function dueReader({ platform, part, now, isTimeUp }: Part, ofOneGroup: number) {
  const countByGroup = new Map<string, number>();
  const isUsedUp = (group: string) => (countByGroup.get(group) ?? 0) >= ofOneGroup;

  return async ({ from, to }: SortKeyRange): Promise<Reading> => {
    const entries: Due[] = [];
    let passedOver: string | undefined;
    let next = from;
    while (entries.length < most.chosen && !isTimeUp()) {
      const found = await platform.list(dueRange(part, { from: next, to }), { limit: most.atOnce });
      for (const due of found.filter((entry) => !isPostponed(entry, now))) {
        const { group } = due.data;
        if (isUsedUp(group)) {
          passedOver ??= joined(due.key.sort);
        } else {
          countByGroup.set(group, (countByGroup.get(group) ?? 0) + 1);
          entries.push(due);
        }
      }
      const last = found.at(-1);
      if (last === undefined || found.length < most.atOnce) {
        return { entries, rest: undefined, passedOver };
      }
      const [at = '', organizationId = '', group = '', ...rest] = last.key.sort;
      next = upTo([at, organizationId, group, ...rest]);
      if (isUsedUp(group)) {
        // Skips the rest of this group at this time, which may be thousands, so that the next group is seen.
        passedOver ??= next;
        next = upTo([at, organizationId, group]);
      }
    }
    return { entries, rest: next, passedOver };
  };
}
