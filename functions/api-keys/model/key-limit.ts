import { Failure } from '../../../shared/kernel/failure.ts';
import type { LimitPolicy, LimitUse } from '../../../shared/kernel/limit-policy.ts';
import { apiKeyCountKey } from '../../../shared/organizations/api-key.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';

/** The keys that an organization may have, as responses announce them. */
export const keyLimit = {
  name: 'api-keys',
  counts: 'API keys of an organization; a deleted one makes room',
  quota: 100,
} satisfies LimitPolicy;

/**
 * The action that counts a key more or less in the transaction of that.
 * @param used how many there are, for the response to announce what is left.
 * @throws a 409 `Failure`, when committed, beyond the limit.
 */
export function countKeyAction(table: TableWriter, by: 1 | -1, used?: number): Action {
  const { quota } = keyLimit;
  const left = (keys: number): LimitUse => ({
    policy: keyLimit,
    quota,
    remaining: Math.max(0, quota - keys),
  });
  return table.updateAction(apiKeyCountKey(), {
    update: 'ADD used :by',
    when: 'attribute_not_exists(used) OR used <= :room',
    values: { by, room: quota - by },
    otherwise: () =>
      new Failure('CONFLICT', `The organization has ${quota} API keys. Delete one that nobody needs.`, {
        limits: [left(quota)],
      }),
    draws: () => (used === undefined ? undefined : left(used + by)),
  });
}
