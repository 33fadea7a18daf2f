import { type StatisticsChange, waitingIn } from '../../../../shared/workflows/run-statistics.ts';
import type { Receipt, Run } from './run.ts';

/** What a change of a run adds to the counters of each node: what its steps did, and how many more or fewer tokens wait there. */
export function statisticsChanges(
  was: Run,
  run: Run,
  receipts: readonly Receipt[],
): Map<string, StatisticsChange> {
  const changes = new Map<string, Record<string, number>>();
  const add = (nodeId: string, counter: string, by: number) => {
    const counters = changes.get(nodeId) ?? {};
    counters[counter] = (counters[counter] ?? 0) + by;
    changes.set(nodeId, counters);
  };
  for (const { nodeId, status, reason } of receipts) {
    if (status !== 'waiting') {
      add(nodeId, status === 'skipped' ? `skipped_${reason}` : status, 1);
    }
  }
  for (const [nodeId, count] of waitingIn(was)) {
    add(nodeId, 'waiting', -count);
  }
  for (const [nodeId, count] of waitingIn(run)) {
    add(nodeId, 'waiting', count);
  }
  return changes;
}
