import { Failure } from './kernel/failure.ts';
import type { ClockAndIds, Ports } from './kernel/operation.ts';
import { after, day, dayOf, epochSeconds, secondsUntilMidnight } from './kernel/time.ts';
import { storageLimitsOf, textSettings } from './messages/text-settings.ts';
import type { CountedRecord } from './organizations/newcomer-policy.ts';
import type { Key } from './table/key.ts';
import type { Action, TableWriter } from './table/table.ts';

/** How many records of a kind an organization has added on a day (`2026-11-20`, in UTC), as the native attribute `added`. */
export const newcomerCountKey = (kind: CountedRecord, date: string): Key<never> => ({
  partition: ['ADDED'],
  sort: [kind, date],
});

/** How long a counter is kept. */
const keptFor = 3 * day;

type Sources = Ports<{ table: 'write'; newcomerPolicy: 'read' }> & Pick<ClockAndIds, 'now'>;

/**
 * Commits a new record, and counts it in the same transaction where the policy limits what newcomers may add. Whether the organization is
 * a newcomer matters, and is read, only once a newcomer could add no more.
 * @param commit commits the record together with these actions.
 * @throws a 429 `Failure` when the organization has added as many as a newcomer may on this day.
 */
export async function commitCounted(
  { table, newcomerPolicy, now }: Sources,
  kind: CountedRecord,
  commit: (counted: readonly Action[]) => Promise<void>,
): Promise<void> {
  const most = newcomerPolicy.storage?.aDay[kind];
  if (most === undefined) {
    return commit([]);
  }
  try {
    return await commit([oneMore(table, kind, most, now)]);
  } catch (error) {
    if (!(error instanceof UsedUpToday)) {
      throw error;
    }
    const settings = await table.read(textSettings.key, { consistent: false });
    if (storageLimitsOf(settings?.data, newcomerPolicy) !== null) {
      throw error;
    }
  }
  return commit([]);
}

function oneMore(table: TableWriter, kind: CountedRecord, most: number, now: Date): Action {
  return table.updateAction(newcomerCountKey(kind, dayOf(now)), {
    update: 'SET expiresAt = :expiresAt ADD added :one',
    when: 'attribute_not_exists(added) OR added < :most',
    values: { one: 1, most, expiresAt: epochSeconds(after(now, keptFor)) },
    otherwise: () => new UsedUpToday(kind, most, now),
  });
}

class UsedUpToday extends Failure {
  constructor(kind: CountedRecord, most: number, now: Date) {
    super('TOO_MANY_ATTEMPTS', `Until a SUPERADMIN approves your organization, ${refusals[kind](most)}`, {
      retryAfter: secondsUntilMidnight(now),
    });
  }
}

const refusals: Readonly<Record<CountedRecord, (most: number) => string>> = {
  users: (most) =>
    `${most} users a day may join it, and have joined. Add further ones after midnight UTC, or ask the operator of this service to approve it.`,
  workflows: (most) =>
    `it may create ${most} workflows a day, and has created them. Create further ones after midnight UTC, or ask the operator of this service to approve it.`,
};
