import { gzipSync } from 'node:zlib';
import type { TableWriter } from '../../../../shared/table/table.ts';
import type { Plan } from '../definition/plan.ts';
import { planKey } from '../definition/plan-row.ts';
import { startingTriggers, triggerKey } from '../definition/triggers.ts';
import { type WorkflowHeader, workflowKey } from '../definition/workflow.ts';
import { startGateForContact, stepGateForContact } from '../runs/run-gate.ts';

/** No plan has this revision: they count from 1. */
const revision = 0;

/**
 * Puts a workflow into the tables of a simulation as if it were enabled: its run passes the gates, which close when a workflow is disabled or
 * its runs are ended, and a step may start it again.
 */
export async function pretendEnabled(
  table: TableWriter,
  header: WorkflowHeader,
  plan: Plan,
  contactId: string,
): Promise<void> {
  const { _id: workflowId, userId, enabled } = header;
  const actions = [startGateForContact, stepGateForContact].map((gate) =>
    table.delete(gate(workflowId, contactId)),
  );
  const startsItself = Object.values(plan.nodes).some(
    ({ type, data }) => type === 'startWorkflow' && data.workflowId === workflowId,
  );
  const triggers = startingTriggers(plan).starting.filter(({ topic }) => topic === 'manual.started');
  if (!enabled && startsItself) {
    const { reentry, rate } = plan.settings;
    // The run that a step starts takes no steps.
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
