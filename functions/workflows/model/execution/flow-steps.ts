import { createHash } from 'node:crypto';
import { definedOnly } from '../../../../shared/kernel/defined-only.ts';
import {
  condition,
  nameOfCase,
  split,
  startWorkflow,
  stop,
  stopOthers,
  switchNode,
  trigger,
} from '../definition/flow-nodes.ts';
import { findHiddenReason } from './can-see.ts';
import { type AnyExecutable, executable } from './executable.ts';
import { findGoneWorkflow, skippedFor } from './gone.ts';
import { holds, ruleHolds } from './rules.ts';
import { requireContact } from './step-context.ts';

/** How runs take the steps of nodes that choose the way of a run, or start and end runs. */
export const flowSteps: readonly AnyExecutable[] = [
  executable(trigger, { decide: () => ({ outcome: { status: 'passed' } }) }),
  executable(stop, { decide: () => ({ outcome: { status: 'passed', ends: 'run' } }) }),
  executable(condition, {
    read: ({ rules }, sources) =>
      findHiddenReason(
        sources,
        rules.map(({ field }) => field),
      ),
    decide({ rules, match = 'all' }, input) {
      if (input.extra !== undefined) {
        return skippedFor(input.extra);
      }
      const branch = String(holds({ filter: rules, match }, input));
      return { outcome: { status: 'passed', way: branch } };
    },
  }),
  executable(switchNode, {
    read: ({ field }, sources) => findHiddenReason(sources, [field]),
    decide({ field, cases }, input) {
      if (input.extra !== undefined) {
        return skippedFor(input.extra);
      }
      const found = cases.find((value) => ruleHolds({ field, operator: 'equals', value }, input));
      return { outcome: { status: 'passed', ...(found !== undefined && { way: nameOfCase(found) }) } };
    },
  }),
  executable(split, {
    decide({ weights }, { run, node }) {
      return { outcome: { status: 'passed', way: chosen(weights, shareOf(run._id, node.id)) } };
    },
  }),
  executable(startWorkflow, {
    read: ({ workflowId }, sources) => findGoneWorkflow(sources, workflowId),
    decide({ workflowId }, { context, extra: gone }) {
      if (gone !== undefined) {
        return skippedFor(gone);
      }
      return {
        outcome: { status: 'passed' },
        effect: {
          operation: 'run-workflow',
          path: { id: workflowId },
          body: { contactId: requireContact(context).contact._id },
          resultId: 'startedRunId',
        },
      };
    },
  }),
  executable(stopOthers, {
    decide({ workflowIds }, { context }) {
      return {
        outcome: { status: 'passed' },
        effect: {
          operation: 'cancel-runs-of-contact',
          path: { id: requireContact(context).contact._id },
          body: definedOnly({ workflowIds }),
        },
      };
    },
  }),
];

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
