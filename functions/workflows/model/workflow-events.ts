import type { NewEvent } from '../../../shared/live/outbox.ts';
import type { WorkflowHeader } from './workflow.ts';

/** What happened to a workflow, for those who may see it: its header and which properties changed, not the graph. */
export function workflowEvent(
  change: 'created' | 'updated' | 'toggled' | 'deleted',
  { _id, userId, name, enabled, updatedAt }: WorkflowHeader,
  changed: readonly string[] = [],
): NewEvent {
  const data = { workflowId: _id, userId, change, name, enabled, updatedAt };
  return {
    event: 'workflow_updated',
    data: { ...data, changed: [...changed] },
    brief: data,
    audience: { kind: 'record', people: [userId] },
  };
}
