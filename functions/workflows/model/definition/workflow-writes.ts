import { Failure } from '../../../../shared/kernel/failure.ts';
import { digestOf } from '../../../../shared/table/digest.ts';
import type { Action, Stored, TableWriter } from '../../../../shared/table/table.ts';
import type { WorkflowHeader } from './workflow.ts';
import { workflowKey, workflowNameKey } from './workflow.ts';

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
  const keyOf = ({ name }: WorkflowHeader) => workflowNameKey(digestOf(name));
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
