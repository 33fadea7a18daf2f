import type { LimitPolicy } from '../kernel/limit-policy.ts';
import type { ClockAndIds, Ports } from '../kernel/operation.ts';
import { day, periodEnd, second, utcDay } from '../kernel/time.ts';
import type { Key } from '../table/key.ts';
import { countingAction, type Limit, LimitReached } from '../table/limit.ts';
import type { Action, TableReader } from '../table/table.ts';
import { effectiveStorageLimits, textSettings } from './text-settings.ts';
import type { CountedRecord, SharedRecord, TrialPolicy } from './trial-policy.ts';

/** What an organization on trial may add a day, as responses announce it: an approved one may add more. */
const added = (kind: CountedRecord | SharedRecord): LimitPolicy => ({
  name: `trial-${kind}`,
  counts: `${kind} that an organization adds before a SUPERADMIN approves it`,
  window: day,
  isHidden: true,
});
export const trialLimits = {
  users: added('users'),
  workflows: added('workflows'),
  contacts: added('contacts'),
  notes: added('notes'),
};

/** How many records of a kind an organization has added on a day (`2026-11-20`, in UTC). */
export const trialCountKey = (kind: CountedRecord, date: string): Key<never> => ({
  partition: ['ADDED'],
  sort: [kind, date],
});

type Sources = Ports<{ table: 'write'; trialPolicy: 'read' }> & Pick<ClockAndIds, 'now'>;

/**
 * Commits a new record, and counts it in the same transaction where the policy limits what organizations on trial may add. Whether the organization is
 * on trial matters, and is read, only once one on trial could add no more.
 * @param commit commits the record together with these actions.
 * @throws a 429 `Failure` when the organization has added as many as one on trial may on this day.
 */
export async function commitCounted(
  { table, trialPolicy, now }: Sources,
  kind: CountedRecord,
  commit: (counted: readonly Action[]) => Promise<void>,
): Promise<void> {
  const most = trialPolicy.storage?.aDay[kind];
  if (most === undefined) {
    return commit([]);
  }
  const limit = limitOf(kind, most, now);
  try {
    return await commit([countingAction(table, limit, now)]);
  } catch (error) {
    const isUsedUp = error instanceof LimitReached && error.limit === limit;
    if (!(isUsedUp && (await isApproved(table, trialPolicy)))) {
      throw error;
    }
  }
  return commit([]);
}

type SharedSources = Ports<{ table: 'read'; trialPolicy: 'read' }> & Partial<Ports<{ rateLimits: 'limit' }>>;

/**
 * Adds a contact or a note of an organization within its share, where the policy limits what organizations on trial may add. Nothing is written for most
 * of them: an action in the transaction would cost each 2 write units, and records that are added at the same time would cancel each other.
 * In return, processes that do not know of each other yet let some more pass.
 *
 * Not limited are contacts that a call or a text creates, because a refusal would lose it, and notes that steps of workflows write, which
 * get no `rateLimits`: a step is recorded anyway.
 * @throws a 429 `Failure` when the share is used up, and nobody has approved the organization.
 */
export async function addWithinShare<Result>(
  { table, rateLimits, trialPolicy }: SharedSources,
  kind: SharedRecord,
  organizationId: string,
  add: () => Promise<Result>,
): Promise<Result> {
  const most = trialPolicy.storage?.aDay[kind];
  if (most === undefined || rateLimits === undefined) {
    return add();
  }
  const share = { atOnce: most, eachSecond: (most * second) / day };
  const refusing = {
    policy: trialLimits[kind],
    refusal: `Until a SUPERADMIN approves your organization, it may add ${most.toLocaleString('en')} ${kind} a day, and has added them. Wait as many seconds as Retry-After says, or ask the operator of this service to approve it.`,
    isExempt: () => isApproved(table, trialPolicy),
  };
  return rateLimits.limitAdded(`${kind} of ${organizationId}`, share, refusing, add);
}

async function isApproved(table: TableReader, policy: TrialPolicy): Promise<boolean> {
  const settings = await table.read(textSettings.key, { consistent: false });
  return effectiveStorageLimits(settings?.data, policy) === null;
}

const limitOf = (kind: CountedRecord, most: number, now: Date): Limit => ({
  key: trialCountKey(kind, utcDay(now)),
  most,
  until: periodEnd(now, day),
  refusal: `Until a SUPERADMIN approves your organization, ${refusals[kind](most)}`,
  announced: { policy: trialLimits[kind] },
});

const refusals: Readonly<Record<CountedRecord, (most: number) => string>> = {
  users: (most) =>
    `${most} users a day may join it, and have joined. Add further ones after midnight UTC, or ask the operator of this service to approve it.`,
  workflows: (most) =>
    `it may create ${most} workflows a day, and has created them. Create further ones after midnight UTC, or ask the operator of this service to approve it.`,
};
