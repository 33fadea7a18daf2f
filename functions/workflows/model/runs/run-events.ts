import type { NewEvent } from '../../../../shared/events/outbox.ts';
import { given } from '../../../../shared/kernel/given.ts';
import type { Run } from './run.ts';

/**
 * A run started, continues, waits or ended: for those who may see its workflow, and therefore without what it did with its contact. Of one
 * that failed, workflows learn why, and at which node.
 */
export function runEvent(run: Run, failedAt?: string): NewEvent {
  const { _id, workflowId, contactId, userId, revision, status, reason, chain } = run;
  return {
    event: 'workflow_run_updated',
    data: { runId: _id, workflowId, contactId, revision, status },
    audience: { kind: 'record', people: [userId] },
    ...(status === 'failed' && {
      change: { run: given({ nodeId: failedAt, reason }) },
      causedBy: { runId: _id, workflowId, chain },
    }),
  };
}
