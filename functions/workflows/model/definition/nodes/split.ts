import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { WayName } from './node-fields.ts';
import { nodeType } from './node-type.ts';

const weightLimit = 1_000_000;
const wayLimit = 20;

const Weight = z.number().check(z.minimum(0), z.maximum(weightLimit));

export default nodeType({
  type: 'split',
  title: 'Split',
  description:
    'Sends runs along its ways at random, in proportion to their weights. A run that comes here again goes the same way.',
  schema: described(
    z.object({
      weights: z.record(WayName, Weight).check(
        z.refine(
          (weights) => Object.values(weights).some((weight) => weight > 0),
          'must have a way with a weight greater than 0',
        ),
        z.refine((weights) => Object.keys(weights).length <= wayLimit, `must have at most ${wayLimit} ways`),
        z.meta({ maxProperties: wayLimit, not: { additionalProperties: { maximum: 0 } } }),
      ),
    }),
    {
      weights:
        'The weight of each way by its name: `{"A": 50, "B": 50}`. At most 20 ways, each with a name of at most 200 characters; each weight from 0 to 1,000,000.',
    },
  ),
  waysFrom: 'weights',
  ways: ({ weights }) => Object.keys(weights),
  decide({ weights }, { run, node }) {
    return { outcome: { status: 'passed', way: chosen(weights, shareOf(run._id, node.id)) } };
  },
});

/** A number from 0 to below 1, evenly distributed among runs, and the same for each visit of a run. */
function shareOf(runId: string, nodeId: string): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([runId, nodeId]))
    .digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

function chosen(weights: Readonly<Record<string, number>>, share: number): string {
  const ways = Object.entries(weights).filter(([, weight]) => weight > 0);
  const total = ways.reduce((sum, [, weight]) => sum + weight, 0);
  let rest = share * total;
  for (const [way, weight] of ways) {
    if (rest < weight) {
      return way;
    }
    rest -= weight;
  }
  return ways.at(-1)?.[0] ?? '';
}
