import { createHash } from 'node:crypto';
import { split } from '../../definition/flow-nodes.ts';
import { executable } from '../executable.ts';

export default executable(split, {
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
  const branches = Object.entries(weights).filter(([, weight]) => weight > 0);
  const total = branches.reduce((sum, [, weight]) => sum + weight, 0);
  let rest = share * total;
  for (const [branch, weight] of branches) {
    if (rest < weight) {
      return branch;
    }
    rest -= weight;
  }
  return branches.at(-1)?.[0] ?? '';
}
