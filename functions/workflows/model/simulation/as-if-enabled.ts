import { gzipSync } from 'node:zlib';
import type { TableWriter } from '../../../../shared/table/table.ts';
import { startingTriggers } from '../compiling/starting-triggers.ts';
import type { Plan } from '../graph/plan.ts';
import { planKey } from '../plans/plan-row.ts';
import { startGateOf, stepGateOf } from '../plans/run-gate.ts';
import { triggerKey } from '../plans/trigger-rows.ts';
import { type WorkflowHeader, workflowKey } from '../workflow.ts';

/** Of no real plan: those count from 1. */
const revision = 0;

/**
 * Has a workflow stand in the tables of a simulation as if it were enabled as it is: neither do gates stop its run, which close when it is
 * disabled or its runs are ended, nor is it refused to a step that starts it anew.
 */
export async function standAsIfEnabled(
  table: TableWriter,
  header: WorkflowHeader,
  plan: Plan,
  contactId: string,
): Promise<void> {
  const { _id: workflowId, userId, enabled } = header;
  const actions = [startGateOf, stepGateOf].map((gate) => table.delete(gate(workflowId, contactId)));
  const startsItself = Object.values(plan.nodes).some(
    ({ type, data }) => type === 'startWorkflow' && data.workflowId === workflowId,
  );
  const triggers = startingTriggers(plan).starting.filter(({ topic }) => topic === 'manual.started');
  if (!enabled && startsItself) {
    const { reentry, rate } = plan.settings;
    // Nothing takes the steps of the run that starts anew.
    const bytes = gzipSync(JSON.stringify({ ...plan, nodes: {} }));
    actions.push(
      table.put(workflowKey(workflowId), { ...header, enabled: true }),
      table.put(
        planKey(workflowId, revision),
        { place: { revision: '', store: 'table', weight: 0 } },
        { bytes },
      ),
      ...(triggers.length === 0
        ? []
        : [
            table.put(triggerKey('manual.started', workflowId), {
              ...{ workflowId, userId, revision, reentry, rate },
              triggers: triggers.map(({ nodeId, filter, match }) => ({ nodeId, filter, match })),
            }),
          ]),
    );
  }
  await table.commit(actions);
}
