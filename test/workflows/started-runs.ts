import { startingRun } from '../../functions/workflows/model/execution/lifecycle.ts';
import { advanceRun } from '../../functions/workflows/model/runs/advance-run.ts';
import { type Run, runKey } from '../../functions/workflows/model/runs/run.ts';
import { startActions } from '../../functions/workflows/model/runs/run-actions.ts';
import { readRunPlan } from '../../functions/workflows/model/runs/run-changes.ts';
import { passGateAction } from '../../functions/workflows/model/runs/run-gate.ts';
import type { StepPorts } from '../../functions/workflows/model/runs/write-step.ts';
import { childId } from '../../shared/kernel/child-id.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import type { Product } from '../harness/product.ts';

/** Who a run is of, and what it runs on. */
export interface RunToStart {
  readonly workflowId: string;
  readonly contactId: string;
  /** The owner of the workflow. */
  readonly userId: string;
  readonly revision: number;
  /** The trigger's node; `start` unless stated. */
  readonly triggerId?: string;
}

/** Starts runs of an organization and takes their steps, without triggers, queue and clock. */
export async function readStartedRuns(product: Product, organizationId: string) {
  const { ports, clock } = newInvocation(systemRuntime, product.providers);
  const { organizations, platform, stepOperations } = ports({
    organizations: 'write',
    platform: 'write',
    stepOperations: 'run',
  }) as Ports<{ organizations: 'write'; platform: 'write'; stepOperations: 'run' }>;
  const table = organizations(organizationId);
  const tables = { table, platform };
  const sources = { table, objects: await product.objects.of(organizationId, 'storedDocuments') };
  const { newId } = clock;
  const planOf = (run: Run) => readRunPlan(sources, run);
  const advance = (runId: string, now: Date, more: Partial<StepPorts> = {}) =>
    advanceRun({ tables, stepOperations, planOf, now, newId, ...more }, runId);
  return {
    tables,
    planOf,
    /** Takes the steps that a run can take at this time. */
    advance,
    read: async (runId: string): Promise<Run | undefined> => (await table.read(runKey(runId)))?.data,
    /** Starts a run, and takes its first steps. */
    async start({ triggerId = 'start', ...of }: RunToStart, now = new Date()): Promise<string> {
      const _id = childId(of.contactId, newId());
      const run = startingRun(
        { ...of, _id, triggerId, topic: 'manual.started', chain: [of.workflowId] },
        now,
      );
      await table.commit([...startActions(tables, run, {}, { now, newId }), passGateAction(table, run)]);
      await advance(_id, now);
      return _id;
    },
  };
}
