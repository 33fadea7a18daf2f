import type { NewEvent } from '../../../../shared/live/outbox.ts';
import type { Run } from './run.ts';

/** A run started, goes on, waits or ended: for those who may see its workflow, and therefore without what it did with its contact. */
export function runEvent({ _id, workflowId, contactId, userId, revision, status }: Run): NewEvent {
  return {
    event: 'workflow_run_updated',
    data: { runId: _id, workflowId, contactId, revision, status },
    audience: { kind: 'record', people: [userId] },
  };
}
