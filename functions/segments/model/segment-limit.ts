import { segmentCountKey } from '../../../shared/board/segment.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { LimitPolicy, LimitUse } from '../../../shared/kernel/limit-policy.ts';
import type { Action, TableReader, TableWriter } from '../../../shared/table/table.ts';

/** The segments that an organization may have. Source: contacts-at-work 2. */
export const segmentLimit = {
  name: 'segments',
  counts: 'segments of an organization; a deleted one makes room',
  quota: 200,
} satisfies LimitPolicy;

/** How many segments there are, for the response to announce what is left. */
export async function readSegmentCount(table: TableReader): Promise<number> {
  const count = await table.read(segmentCountKey(), { consistent: false });
  return Number(count?.attributes?.used ?? 0);
}

/** The action that counts a deleted segment. */
export function uncountAction(table: TableWriter): Action {
  return table.updateAction(segmentCountKey(), { update: 'ADD used :by', values: { by: -1 } });
}

/**
 * The action that counts a new segment in the transaction of that.
 * @throws a 409 `Failure`, when committed, beyond the limit.
 */
export function countAction(table: TableWriter, used: number): Action {
  const { quota } = segmentLimit;
  const left = (segments: number): LimitUse => ({
    policy: segmentLimit,
    quota,
    remaining: Math.max(0, quota - segments),
  });
  return table.updateAction(segmentCountKey(), {
    update: 'ADD used :by',
    when: 'attribute_not_exists(used) OR used < :quota',
    values: { by: 1, quota },
    otherwise: () =>
      new Failure('CONFLICT', `The organization has ${quota} segments, the maximum. Delete one first.`, {
        limits: [left(quota)],
      }),
    draws: () => left(used + 1),
  });
}
