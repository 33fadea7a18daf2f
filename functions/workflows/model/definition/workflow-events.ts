import type { NewEvent } from '../../../../shared/events/outbox.ts';
import type { WorkflowHeader } from './workflow.ts';

/** The change of a workflow, with its header and the names of the changed properties, but without the graph. */
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
