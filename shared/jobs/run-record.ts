import type { StoredEvent } from '../events/outbox.ts';
import type { StepRequest } from '../events/step-operations.ts';
import { stepTable } from '../events/step-table.ts';
import { definedOnly } from '../kernel/defined-only.ts';
import { Failure } from '../kernel/failure.ts';
import { isTransient } from '../kernel/transient-errors.ts';
import { type Action, firstVersion, type Stored, type TableWriter } from '../table/table.ts';
import { formerActions, formerPart } from './former-values.ts';
import { jobExpiry, type ResultKind, type ResultRow, resultKey } from './job.ts';
import type { RecordStatus, RevertStatus } from './job-statuses.ts';
import type { SliceContext } from './job-type.ts';
import { type ContactWrite, recordTable } from './record-table.ts';

export interface RecordOutcome {
  readonly status: RecordStatus | RevertStatus;
  readonly contactId?: string;
  /** Without any value of a person. */
  readonly reason?: string;
}

interface StepOptions {
  /** Further steps of the record follow, each in its own transaction. */
  readonly moreFollow?: boolean;
  /** The contact must still have this version, or nothing happens. */
  readonly ifVersion?: number;
  /** What the result says beside its status. */
  readonly reason?: string;
  /** Further writes of the transaction. */
  readonly also?: readonly Action[];
}

/** The contact has changed since its version was read. */
export class ContactChanged extends Error {
  constructor() {
    super('The contact has another version');
    this.name = 'ContactChanged';
  }
}

/** What a record comes to when a step writes its contact, when it is refused, and whether former values are noted. */
interface Effects {
  readonly kind: ResultKind;
  readonly statuses: Readonly<Record<ContactWrite['status'], ResultRow['status']>>;
  readonly refused: ResultRow['status'];
}

export const jobEffects: Effects = {
  kind: 'RESULT',
  statuses: { created: 'created', updated: 'updated', deleted: 'updated' },
  refused: 'failed',
};

export const revertEffects: Effects = {
  kind: 'REVERT',
  statuses: { created: 'restored', updated: 'restored', deleted: 'deleted' },
  refused: 'kept',
};

/** What a job type is given for one record. `now` is the time at which the record began. */
export interface RecordContext<Input> extends SliceContext<Input> {
  /** Performs an operation of the API that is declared `asStep`, as the creator, in one transaction with the result of the record. */
  perform(operation: string, request: StepRequest, options?: StepOptions): Promise<unknown>;
  /** A table for a step of one's own: its one `commit` adds the result of the record, and what the contact was before. */
  step(options?: StepOptions): TableWriter;
  /** What earlier steps of the record have committed before their process ended. */
  readonly done: Pick<ResultRow, 'status' | 'contactId'> | undefined;
}

/** Another process has worked on the record. */
class RecordDone extends Error {
  readonly row: ResultRow;

  constructor(row: ResultRow) {
    super('The record has a result already');
    this.row = row;
  }
}

/**
 * Works on one record.
 * @param open what an earlier process has committed of it.
 * @returns its result. @throws when it must be tried again later.
 */
export async function runRecord<Input>(
  context: SliceContext<Input>,
  { kind, statuses, refused }: Effects,
  { row, contactId }: { readonly row: number; readonly contactId?: string },
  open: Stored<ResultRow> | undefined,
  run: (record: RecordContext<Input>) => Promise<RecordOutcome | undefined>,
): Promise<ResultRow> {
  const { job, table, caller, stepOperations } = context;
  const now = context.clock();
  const { newId } = context;
  const expiresAt = jobExpiry(job);
  const key = resultKey(job._id, row, kind);
  let stored = open;
  let steps = open === undefined ? 0 : 1;
  let closed: ResultRow | undefined;

  const resultAction = (result: ResultRow): Action =>
    stored === undefined
      ? table.add(key, result, { expiresAt, otherwise: (existing) => new RecordDone(existing) })
      : table.replace(stored, result, { expiresAt });

  function step({
    moreFollow = false,
    ifVersion,
    reason,
    also = [],
  }: StepOptions = {}): ReturnType<typeof stepTable> {
    let written: ResultRow | undefined;
    const own = recordTable(table, (event) => toStoredEvent(event, context));
    const joined = (actions: readonly Action[]) => {
      const write = own.contactAmong(actions);
      const notified = job.dryRun ? [] : own.eventsAmong(actions).flatMap(assignedBy);
      if (ifVersion !== undefined && write?.version !== ifVersion) {
        throw new ContactChanged();
      }
      written = {
        row,
        ...((write?.contactId ?? contactId) ? { contactId: write?.contactId ?? contactId } : {}),
        ...(stored?.data.notified && { notified: stored.data.notified }),
        status: stored?.data.status ?? statuses[write?.status ?? 'updated'],
        ...definedOnly({ reason: reason ?? stored?.data.reason }),
        ...(moreFollow && { isOpen: true }),
        ...(notified.length > 0 && { notified }),
      };
      const result = resultAction(written);
      if (job.dryRun) {
        return [result];
      }
      const former =
        kind === 'RESULT' ? formerActions(table, job._id, write, formerPart(row, steps), now) : [];
      return [result, ...former, ...also, ...actions];
    };
    const joint = stepTable(own.table, table.origin, joined);
    return {
      ...joint,
      async commit(actions, options) {
        await joint.commit(actions, options);
        if (written !== undefined && options?.isAhead !== true) {
          stored = { key, data: written, version: (stored?.version ?? firstVersion - 1) + 1 };
          steps += 1;
          closed = moreFollow ? undefined : written;
        }
      },
    };
  }

  const record: RecordContext<Input> = {
    ...context,
    now,
    done: open?.data,
    step,
    async perform(operation, request, options) {
      const own = step(options);
      try {
        return await stepOperations.run(operation, request, { now, newId, caller, table: own });
      } catch (error) {
        if (own.hasCommitted()) {
          // Everything is committed: only making the response failed.
          return undefined;
        }
        throw error;
      }
    },
  };

  async function close(outcome: RecordOutcome | undefined): Promise<ResultRow> {
    if (closed !== undefined) {
      return closed;
    }
    const { isOpen: _, ...before } = stored?.data ?? { row, status: 'skipped' as const, reason: 'unchanged' };
    const result: ResultRow = { ...(contactId && { contactId }), ...before, ...outcome };
    await table.commit([resultAction(result)]);
    return result;
  }

  try {
    return await run(record).then(close, (error: unknown) => close(failureOf(error, refused, context)));
  } catch (error) {
    if (error instanceof RecordDone) {
      return error.row;
    }
    throw error;
  }
}

/** What a record that cannot be changed came to. @throws what may be over when it is tried again. */
function failureOf(
  error: unknown,
  status: RecordOutcome['status'],
  { noteDefect }: Pick<SliceContext<never>, 'noteDefect'>,
): RecordOutcome {
  if (error instanceof RecordDone || isTransient(error)) {
    throw error;
  }
  if (!(error instanceof Failure)) {
    noteDefect(error);
    return { status, reason: 'The service failed at this record.' };
  }
  if (error.status >= 500) {
    throw error;
  }
  return { status, reason: error.message };
}

/** The event of a record: the people who were assigned are told of all records at once, and sockets get some events of each second. */
function toStoredEvent(
  { notify, ...event }: StoredEvent,
  { job, hides }: Pick<SliceContext<never>, 'job' | 'hides'>,
): StoredEvent {
  return {
    ...event,
    ...(notify && notify.type !== 'assignment' && { notify }),
    ...(job.startsNoRuns && { startsNoRuns: true }),
    ...(!job.dryRun && hides(event.audience) && { isQuiet: true }),
  };
}

/** The people whom an event tells that something is theirs now. */
const assignedBy = ({ notify }: StoredEvent): readonly string[] =>
  notify?.type === 'assignment' ? (notify.to ?? []) : [];
