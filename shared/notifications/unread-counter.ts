import type { Key } from '../table/key.ts';
import type { Step, Stored, TableReader, TableWriter } from '../table/table.ts';

/**
 * How many notifications of a user are unread: exactly those that came since everything was last marked as read, less those
 * opened one by one. A notification bears the read-all epoch that it came in, and is stored under the condition that this is
 * still the number. So marking everything as read is one small write, however many there are, and whatever is stored
 * afterwards, or meets it half way, is unread.
 */
export interface UnreadCounter {
  readonly unread: number;
  /** How often everything was marked as read. */
  readonly readAllEpoch: number;
  /** When that was last, in milliseconds since the epoch; 0 for never. */
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

export async function unreadCounterOf(table: TableReader, userId: string): Promise<UnreadCounter> {
  return unreadCounterIn(await table.read(unreadCounterKey(userId)));
}

/** The step that counts `by` more unread ones, provided that nothing was marked as read since the counter was read. */
export function countStep(
  table: TableWriter,
  userId: string,
  { readAllEpoch }: UnreadCounter,
  by: 1 | -1,
): Step {
  const condition =
    readAllEpoch === 0
      ? { when: 'attribute_not_exists(readAllEpoch)', values: { by } }
      : { when: 'readAllEpoch = :readAllEpoch', values: { by, readAllEpoch } };
  return table.updateStep(unreadCounterKey(userId), { update: 'ADD unread :by', ...condition });
}

/** Marks everything as read that is stored by the time of this write, and nothing else. */
export async function clear(table: TableWriter, userId: string, now: Date): Promise<UnreadCounter> {
  const attributes = await table.update(unreadCounterKey(userId), {
    update: 'SET unread = :none, readAllAt = :now ADD readAllEpoch :one',
    values: { none: 0, now: now.getTime(), one: 1 },
  });
  return unreadCounterIn({ attributes });
}

/** How many of a user's notifications are unread. */
export const unreadCounterKey = (userId: string): Key<never> => ({
  partition: ['NOTIFICATIONS', userId],
  sort: ['TALLY'],
});
