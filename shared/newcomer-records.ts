import type { ClockAndIds, Ports } from './kernel/operation.ts';
import { day, dayOf, periodEnd } from './kernel/time.ts';
import { storageLimitsOf, textSettings } from './messages/text-settings.ts';
import type { CountedRecord } from './organizations/newcomer-policy.ts';
import type { Key } from './table/key.ts';
import { countingAction, type Limit, LimitReached } from './table/limit.ts';
import type { Action } from './table/table.ts';

/** How many records of a kind an organization has added on a day (`2026-11-20`, in UTC). */
export const newcomerCountKey = (kind: CountedRecord, date: string): Key<never> => ({
  partition: ['ADDED'],
  sort: [kind, date],
});

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
  const limit = limitOf(kind, most, now);
  try {
    return await commit([countingAction(table, limit, now)]);
  } catch (error) {
    if (!(error instanceof LimitReached && error.limit === limit)) {
      throw error;
    }
    const settings = await table.read(textSettings.key, { consistent: false });
    if (storageLimitsOf(settings?.data, newcomerPolicy) !== null) {
      throw error;
    }
  }
  return commit([]);
}

const limitOf = (kind: CountedRecord, most: number, now: Date): Limit => ({
  key: newcomerCountKey(kind, dayOf(now)),
  most,
  until: periodEnd(now, day),
  refusal: `Until a SUPERADMIN approves your organization, ${refusals[kind](most)}`,
});

const refusals: Readonly<Record<CountedRecord, (most: number) => string>> = {
  users: (most) =>
    `${most} users a day may join it, and have joined. Add further ones after midnight UTC, or ask the operator of this service to approve it.`,
  workflows: (most) =>
    `it may create ${most} workflows a day, and has created them. Create further ones after midnight UTC, or ask the operator of this service to approve it.`,
};
