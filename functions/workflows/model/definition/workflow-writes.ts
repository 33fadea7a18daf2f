import type { NewEvent } from '../../../../shared/events/outbox.ts';
import { Failure } from '../../../../shared/kernel/failure.ts';
import { toDigest } from '../../../../shared/table/digest.ts';
import type { Action, Stored, TableWriter } from '../../../../shared/table/table.ts';
import { type WorkflowHeader, workflowKey, workflowNameKey } from './workflow.ts';

/** The actions that write a workflow's header, its entry in its owner's list and the lock of its name. */
export function workflowWrites(
  table: TableWriter,
  before: Stored<WorkflowHeader> | undefined,
  after: WorkflowHeader | undefined,
): Action[] {
  return [
    ...recordActions(table, before, after),
    ...entryActions(table, before?.data, after),
    ...nameActions(table, before?.data, after),
  ];
}

function recordActions(
  table: TableWriter,
  before: Stored<WorkflowHeader> | undefined,
  after: WorkflowHeader | undefined,
): Action[] {
  if (after === undefined) {
    return before === undefined ? [] : [table.delete(before.key, { ifVersion: before.version })];
  }
  return [before === undefined ? table.add(workflowKey(after._id), after) : table.replace(before, after)];
}

function entryActions(
  table: TableWriter,
  before: WorkflowHeader | undefined,
  after: WorkflowHeader | undefined,
): Action[] {
  const keyOf = ({ _id, userId }: WorkflowHeader) => workflowKey(_id, ['user', userId]);
  if (after === undefined) {
    return before === undefined ? [] : [table.delete(keyOf(before))];
  }
  return [table.put(keyOf(after), after)];
}

/** A name is unique within the organization. Source: specification, "Workflow"; decisions 5. */
function nameActions(
  table: TableWriter,
  before: WorkflowHeader | undefined,
  after: WorkflowHeader | undefined,
): Action[] {
  if (before?.name === after?.name) {
    return [];
  }
  const keyOf = ({ name }: WorkflowHeader) => workflowNameKey(toDigest(name));
  return [
    ...(before === undefined ? [] : [table.delete(keyOf(before))]),
    ...(after === undefined
      ? []
      : [
          table.add(
            keyOf(after),
            { workflowId: after._id },
            {
              otherwise: () =>
                new Failure('NAME_TAKEN', 'Another workflow of this organization already has this name.'),
            },
          ),
        ]),
  ];
}

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
