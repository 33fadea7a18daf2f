import type { Key } from '../table/key.ts';
import type { Action, Change, Stored, TableReader, TableWriter } from '../table/table.ts';

/**
 * The exact number of a user's unread notifications: those since everything was last marked as read, without those opened one by
 * one. A notification stores its read-all epoch, under the condition that the counter still has this epoch. So marking everything
 * as read is one small write, however many there are, and every notification stored afterwards is unread.
 */
export interface UnreadCounter {
  readonly unread: number;
  readonly readAllEpoch: number;
  /** When everything was last marked as read, in milliseconds since the epoch; 0 for never. */
  readonly readAllAt: number;
}

export function unreadCounterIn(stored: Pick<Stored<never>, 'attributes'> | undefined): UnreadCounter {
  const {
    unread = 0,
    readAllEpoch = 0,
    readAllAt = 0,
  } = (stored?.attributes ?? {}) as Partial<UnreadCounter>;
  return { unread, readAllEpoch, readAllAt };
}

export async function readUnreadCounter(table: TableReader, userId: string): Promise<UnreadCounter> {
  return unreadCounterIn(await table.read(unreadCounterKey(userId)));
}

/** The action that adds `by` to the unread ones, if nothing was marked as read since the counter was read. */
export function countAction(table: TableWriter, userId: string, counter: UnreadCounter, by: number): Action {
  const { when, values } = sameEpoch(counter);
  return table.updateAction(unreadCounterKey(userId), {
    update: 'ADD unread :by',
    when,
    values: { ...values, by },
  });
}

/** The action that requires that nothing was marked as read since the counter was read. */
export function unreadAction(table: TableWriter, userId: string, counter: UnreadCounter): Action {
  return table.require(unreadCounterKey(userId), sameEpoch(counter));
}

function sameEpoch({ readAllEpoch }: UnreadCounter): Pick<Change, 'when' | 'values'> & { when: string } {
  return readAllEpoch === 0
    ? { when: 'attribute_not_exists(readAllEpoch)' }
    : { when: 'readAllEpoch = :readAllEpoch', values: { readAllEpoch } };
}

/** Marks as read all notifications that are stored before this write. */
export async function clear(table: TableWriter, userId: string, now: Date): Promise<UnreadCounter> {
  const attributes = await table.update(unreadCounterKey(userId), {
    update: 'SET unread = :none, readAllAt = :now ADD readAllEpoch :one',
    values: { none: 0, now: now.getTime(), one: 1 },
  });
  return unreadCounterIn({ attributes });
}

export const unreadCounterKey = (userId: string): Key<never> => ({
  partition: ['NOTIFICATIONS', userId],
  sort: ['TALLY'],
});
