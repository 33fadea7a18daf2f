import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { gateShards, stepGateForContact } from '../../functions/workflows/model/runs/run-gate.ts';
import { joined, type Key } from '../../shared/table/key.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import {
  statisticsActions,
  statisticsParts,
  statisticsShards,
} from '../../shared/workflows/run-statistics.ts';

const contacts = Array.from({ length: 20_000 }, () => ulid());

/** How many contacts have each key. */
function sharesOf(keyOf: (contactId: string) => Key<unknown>): number[] {
  const keys = contacts.map(keyOf).map(({ partition, sort }) => joined([...partition, ...sort]));
  return [...Map.groupBy(keys, (key) => key).values()].map(({ length }) => length);
}

/** A table that tells of an update only which key it has. */
const onlyKeys = { updateAction: (key: Key<unknown>) => ({ request: { key } }) } as unknown as TableWriter;

test.each([
  [
    'counters of a node',
    statisticsShards.length * statisticsParts,
    (contactId: string) => {
      const [action] = statisticsActions(
        onlyKeys,
        { workflowId: 'w', contactId },
        new Map([['n', { passed: 1 }]]),
      );
      return action?.request.key as Key<unknown>;
    },
  ],
  ['gates of a workflow', gateShards.steps, (contactId: string) => stepGateForContact('w', contactId)],
])('Contacts are spread evenly over the %s', (_, count, keyOf) => {
  const shares = sharesOf(keyOf);
  expect(shares).toHaveLength(count);
  expect(Math.max(...shares)).toBeLessThan((1.3 * contacts.length) / count);
});
