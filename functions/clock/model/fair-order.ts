import type { DueEntry } from '../../../shared/events/due-entry.ts';

/** Entries in turns: one of each organization, then another of each; within an organization likewise by group, the earliest first. */
export function inFairOrder<Entry extends { readonly data: DueEntry }>(entries: readonly Entry[]): Entry[] {
  const organizations = Map.groupBy(entries, ({ data }) => data.organizationId).values();
  return interleaved(
    [...organizations].map((group) =>
      interleaved([...Map.groupBy(group, ({ data }) => data.group).values()]),
    ),
  );
}

/** The first items of all lists, then the second ones, and so on. */
function interleaved<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const rounds: Item[][] = [];
  for (const list of lists) {
    for (const [index, item] of list.entries()) {
      const round = rounds[index] ?? [];
      round.push(item);
      rounds[index] = round;
    }
  }
  return rounds.flat();
}

/** A queue from which several workers take: never two entries of one group at the same time. */
export interface Queue<Entry> {
  /** The next entry of a group that no worker is busy with; undefined if there is none: the busy workers take the rest. */
  take(): Entry | undefined;
  /** Lets others of its group be taken. */
  release(entry: Entry): void;
  /** The entries that nobody has taken. */
  readonly waiting: readonly Entry[];
}

/** Hands out entries in their order, at most one of each group at a time. */
export function groupQueue<Entry extends { readonly data: DueEntry }>(
  entries: readonly Entry[],
): Queue<Entry> {
  const waiting = [...entries];
  const busy = new Set<string>();
  return {
    waiting,
    take() {
      const index = waiting.findIndex(({ data }) => !busy.has(data.group));
      const [entry] = index === -1 ? [] : waiting.splice(index, 1);
      if (entry !== undefined) {
        busy.add(entry.data.group);
      }
      return entry;
    },
    release: ({ data }) => void busy.delete(data.group),
  };
}
