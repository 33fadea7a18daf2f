import { type Cause, runActor, type StoredEvent } from '../../../../shared/events/outbox.ts';
import { type StepTable, stepTable } from '../../../../shared/events/step-table.ts';
import { formerActions } from '../../../../shared/jobs/former-values.ts';
import { recordTable } from '../../../../shared/jobs/record-table.ts';
import { Failure } from '../../../../shared/kernel/failure.ts';
import {
  type Action,
  type TableReader,
  type TableWriter,
  transactionLimit,
} from '../../../../shared/table/table.ts';
import type { Reach } from '../../../../shared/workflows/own-workflows.ts';
import { RunConflict } from './run-conflict.ts';

/** The writes of an operation's transaction, as far as a step record records them. */
export interface Writing {
  /** Its events, in order. */
  readonly events: readonly StoredEvent[];
  /** The records that it creates, in order: those of new keys. */
  readonly added: readonly Added[];
}

export interface Added {
  /** The first part of its sort key: `NOTE`, `MESSAGE`, … */
  readonly kind: string;
  readonly data: unknown;
}

/** The actions that the step of a run adds to the transaction of its operation. */
export interface OfRun {
  /** Put into each event of the operation. */
  readonly causedBy: Cause;
  /** The job that led to the run, and the place of the step among what it did. */
  readonly ofJob?: { readonly jobId: string; readonly part: string; readonly now: Date } | undefined;
  /** Whether the run ends with the step; false unless stated. */
  readonly endsRun?: boolean;
  /** The rights to which the run is held, if the owner of its workflow has wider ones now. */
  readonly bound?: Reach | undefined;
  /**
   * The step's own writes: the run at its version, its step record, and so on. Called for each try of the operation. What fails here without
   * an `otherwise` of its own is a `RunConflict`.
   */
  actions(writing: Writing): readonly Action[];
}

export interface OperationTable extends StepTable {
  readonly ownStep: OwnStep;
}

/** The actions that the step of a run writes itself, for an operation that would write the same: a transaction has one write for each record. */
interface OwnStep {
  /** The workflow whose gate it passes. */
  readonly workflowId: string;
  /** Whether its run is no longer one of the contact's running ones. */
  readonly endsRun: boolean;
  readonly bound: Reach | undefined;
}

/** The step of a run of this workflow that reads and writes here; undefined if there is none. */
export function findOwnStep(table: TableWriter, workflowId: string): OwnStep | undefined {
  const { ownStep } = table as Partial<OperationTable>;
  return ownStep?.workflowId === workflowId ? ownStep : undefined;
}

/** The rights to which the step that reads here is held, if the owner of its workflow has wider ones now. */
export const boundOfStep = (table: TableReader): Reach | undefined =>
  (table as Partial<OperationTable>).ownStep?.bound;

/** The table for an operation within a step of a run: what it commits becomes one transaction with the writes of the step. */
export function operationTable(table: TableWriter, ofRun: OfRun): OperationTable {
  const additions = new Map<Action, Added>();

  const noted = recordTable(table, (event) => ({
    ...event,
    causedBy: ofRun.causedBy,
    ...(ofRun.ofJob && { jobId: ofRun.ofJob.jobId }),
  }));

  const joined = (actions: readonly Action[]) => {
    const ownActions = ofRun.actions({
      events: noted.eventsAmong(actions),
      added: found(additions, actions),
    });
    if (ownActions.length + actions.length > transactionLimit) {
      throw new Failure(
        'INVALID',
        'This is too large for a step of a workflow. Change assignees and phone numbers in separate steps.',
      );
    }
    const { ofJob } = ofRun;
    const former =
      ofJob === undefined
        ? []
        : formerActions(table, ofJob.jobId, noted.contactAmong(actions), ofJob.part, ofJob.now);
    // Those of the run come first: if several fail, the first one tells.
    return [...ownActions.map(guarded), ...former, ...actions];
  };

  return {
    ...stepTable(noted.table, { actor: runActor(ofRun.causedBy) }, joined),
    causedBy: ofRun.causedBy,
    ownStep: { workflowId: ofRun.causedBy.workflowId, endsRun: ofRun.endsRun ?? false, bound: ofRun.bound },

    add(key, data, options) {
      const action = noted.table.add(key, data, options);
      additions.set(action, { kind: key.sort[0] ?? '', data });
      return action;
    },
  };
}

/** The `_id` of the first record of this kind that the transaction creates. */
export function idOfAdded({ added }: Writing, kind: string): string | undefined {
  const record = added.find((entry) => entry.kind === kind)?.data as { readonly _id?: string } | undefined;
  return record?._id;
}

function found<Value>(noted: ReadonlyMap<Action, Value>, actions: readonly Action[]): Value[] {
  return actions.flatMap((action) => noted.get(action) ?? []);
}

function guarded(action: Action): Action {
  return { ...action, otherwise: action.otherwise ?? (() => new RunConflict()) };
}
