import { forEachOrThrow } from '../../shared/kernel/for-each-concurrently.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { keyParts, keyPrefix } from '../../shared/table/key.ts';
import { readAll } from '../../shared/table/read-all.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import { canContinue } from './model/execution/engine.ts';
import { runKey } from './model/runs/run.ts';
import { readyAction } from './model/runs/run-actions.ts';

/** Runs that are made ready at the same time. */
const width = 10;

/**
 * The entry that makes a run go on expires a day after it was last written. A run that still could go on then was lost: nobody handed it over, or its
 * message was given up. Waiting and ended runs, almost all, cost one read.
 */
export default streamOperation({
  reader: 'background',
  on: { change: 'REMOVE', sortPrefix: keyPrefix(['READY']) },
  summary: 'Resume runs of workflows that have been stuck for a day',
  uses: { organizations: 'write' },
  async run(changes, { organizations, now, newId }) {
    const byOrganization = Map.groupBy(changes, ({ partition }) => organizationIn(partition) ?? '');
    let resumed = 0;
    for (const [organizationId, some] of byOrganization) {
      const table = organizations(organizationId);
      const ids = new Set(some.map(({ sort }) => keyParts(sort)[1] ?? ''));
      const runs = await readAll(
        table,
        [...ids].map((id) => runKey(id)),
      );
      const lost = runs.flatMap((run) =>
        run !== undefined && canContinue(run.data, now) ? [run.data._id] : [],
      );
      await forEachOrThrow(lost, width, async (runId) => {
        await table.commit([readyAction(table, runId, { now, newId })]);
        resumed += 1;
      });
    }
    return { resumed };
  },
});
