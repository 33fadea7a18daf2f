import type { Key } from '../table/key.ts';
import type { Step, Stored, TableReader, TableWriter } from '../table/table.ts';

/**
 * How many notifications of a user are unread: exactly those that came since everything was last marked as read, less those
 * opened one by one. A notification bears the number of clearings before it, and is stored under the condition that this is
 * still the number. So marking everything as read is one small write, however many there are, and whatever is stored
 * afterwards, or meets it half way, is unread.
 */
export interface Tally {
  readonly unread: number;
  /** How often everything was marked as read. */
  readonly clearings: number;
  /** When that was last, in milliseconds since the epoch; 0 for never. */
  readonly clearedAt: number;
}

export function tallyIn(stored: Pick<Stored<never>, 'attributes'> | undefined): Tally {
  const { unread = 0, clearings = 0, clearedAt = 0 } = (stored?.attributes ?? {}) as Partial<Tally>;
  return { unread, clearings, clearedAt };
}

export async function tallyOf(table: TableReader, userId: string): Promise<Tally> {
  return tallyIn(await table.read(notificationTallyKey(userId)));
}

/** The step that counts `by` more unread ones, provided that nothing was cleared since the tally was read. */
export function countStep(table: TableWriter, userId: string, { clearings }: Tally, by: 1 | -1): Step {
  const condition =
    clearings === 0
      ? { when: 'attribute_not_exists(clearings)', values: { by } }
      : { when: 'clearings = :clearings', values: { by, clearings } };
  return table.change(notificationTallyKey(userId), { update: 'ADD unread :by', ...condition });
}

/** Marks everything as read that is stored by the time of this write, and nothing else. */
export async function clear(table: TableWriter, userId: string, now: Date): Promise<Tally> {
  const attributes = await table.update(notificationTallyKey(userId), {
    update: 'SET unread = :none, clearedAt = :now ADD clearings :one',
    values: { none: 0, now: now.getTime(), one: 1 },
  });
  return tallyIn({ attributes });
}

/** How many of a user's notifications are unread. */
export const notificationTallyKey = (userId: string): Key<never> => ({
  partition: ['NOTIFICATIONS', userId],
  sort: ['TALLY'],
});
