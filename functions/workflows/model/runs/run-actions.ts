import { contactKey } from '../../../../shared/contacts/contact.ts';
import { cancelAction, scheduleAction } from '../../../../shared/events/due-entry.ts';
import { eventAction, type NewEvent, runActor } from '../../../../shared/events/outbox.ts';
import { definedOnly } from '../../../../shared/kernel/defined-only.ts';
import type { ClockAndIds } from '../../../../shared/kernel/operation.ts';
import { after, day, type Timestamp, timestamp } from '../../../../shared/kernel/time.ts';
import type { Action, Stored, TableWriter } from '../../../../shared/table/table.ts';
import { dueRun } from '../../../../shared/workflows/due-run.ts';
import { runEntryKey, runListFor } from '../../../../shared/workflows/run-lists.ts';
import {
  type StatisticsChange,
  statisticsActions,
  waitingIn,
} from '../../../../shared/workflows/run-statistics.ts';
import type { Topic } from '../definition/topics.ts';
import { enrollmentAction } from './enrollment.ts';
import { type Failures, failureActions, noFailures } from './failures.ts';
import {
  awaitedBy,
  awaitedEventKey,
  type Run,
  readyRunKey,
  runEventKey,
  runKey,
  type StoredStepRecord,
  stepRecordKey,
} from './run.ts';
import { RunConflict } from './run-conflict.ts';

export interface RunTables {
  /** The organization's. */
  readonly table: TableWriter;
  /** Has what is due. */
  readonly platform: TableWriter<'platform'>;
}

/** How long a run and its steps can be read after its end. Source: the page of workflow runs, "Storage and operations". */
export const keptFor = 90 * day;

/** The event has started this run before. */
export class RunExists extends Error {
  constructor() {
    super('The event has started this run before');
    this.name = 'RunExists';
  }
}

/** The contact was deleted before the run began. */
export class ContactGone extends Error {
  constructor() {
    super('The contact was deleted');
    this.name = 'ContactGone';
  }
}

/**
 * The actions that start a run: it goes on at once, or at its `startsAt`. Enrollment and refusals are not among them.
 * @param event the fields of the event, which `event.…` names.
 * @param ownerId the contact that the run is for now: that of the event, unless it was merged into another since.
 */
export function startActions(
  { table, platform }: RunTables,
  run: Run,
  event: Readonly<Record<string, unknown>>,
  { now, newId }: ClockAndIds,
  ownerId: string = run.contactId,
): Action[] {
  const { _id: runId, contactId, workflowId } = run;
  const due = dueRun(table.organizationId, run);
  return [
    table.add(runKey(runId), run, { otherwise: () => new RunExists() }),
    ...(run.topic === 'contact.deleted'
      ? []
      : [
          table.require(contactKey(ownerId), {
            when: 'attribute_exists(pk)',
            otherwise: () => new ContactGone(),
          }),
        ]),
    table.put(runEventKey(runId), event),
    table.put(runEntryKey(workflowId, 'active', runId), { runId, contactId }),
    due === undefined ? readyAction(table, runId, { now, newId }) : scheduleAction(platform, due),
    ...awaitedActions(table, undefined, run),
    eventAction(table, runEvent(run), newId(), now),
  ];
}

/** A change of a run. */
export interface Transition {
  readonly before: Stored<Run>;
  readonly after: Run;
  /** The records of the steps that changed it. */
  readonly stepRecords?: readonly StoredStepRecord[];
  /** Whether the queue is to go on with it: of every change but those of the queue itself, if a token can go on. */
  readonly isReady?: boolean;
  /** The result of `readFailures`; needed for a run that finishes or fails. */
  readonly failures?: Failures;
  /** Whether the transaction counts the run out of its contact's running ones elsewhere. */
  readonly isCountedOut?: boolean;
}

/**
 * The actions of a change of a run: all that follows from its record changes with it. Whoever changes a run commits these, and nobody
 * writes one of these rows elsewhere. They are 6 write units for a step that neither begins nor ends a wait, nor ends the run.
 * Committing fails with `RunConflict` when the run was changed meanwhile.
 */
export function runActions(
  { table, platform }: RunTables,
  {
    before,
    after: run,
    stepRecords = [],
    isReady = false,
    failures = noFailures,
    isCountedOut = false,
  }: Transition,
  { now, newId }: ClockAndIds,
): Action[] {
  const was = before.data;
  const failing = failureActions(table, was, run, failures);
  const record = table.replace(before, run, expiryOf(run));
  const failedAt = stepRecords.findLast(({ status }) => status === 'failed')?.nodeId;
  const event = { ...runEvent(run, failedAt), notify: failing.notify };
  return [
    { ...record, otherwise: () => new RunConflict() },
    ...stepRecords.map((stepRecord) => table.put(stepRecordKey(run._id, stepRecord.n), stepRecord)),
    ...statisticsActions(table, run, statisticsChanges(was, run, stepRecords)),
    ...dueActions({ table, platform }, was, run, now),
    ...awaitedActions(table, was, run),
    ...listActions(table, was, run),
    ...(isCountedOut ? [] : enrollmentAction(table, was, run)),
    ...failing.actions,
    ...(isReady ? [readyAction(table, run._id, { now, newId })] : []),
    ...(emitsEvent(was, run) ? [eventAction(table, event, newId(), now)] : []),
  ];
}

/**
 * Has the queue go on with a run, soon after the transaction.
 * @param dueAt the time that has come, if the clock woke it.
 */
export function readyAction(
  table: TableWriter,
  runId: string,
  { now, newId }: ClockAndIds,
  dueAt?: Timestamp,
): Action {
  const ready = { runId, ...(dueAt !== undefined && { dueAt }), writeId: newId() };
  return table.put(readyRunKey(runId), ready, { expiresAt: after(now, day) });
}

/** Whether the change emits an event. Going on after a wait does not; waiting again and ending do. */
function emitsEvent(was: Run, run: Run): boolean {
  const isEndedOrWaits = run.finishedAt !== undefined || run.status === 'waiting';
  return run.status !== was.status && (isEndedOrWaits || was.finishedAt !== undefined);
}

function expiryOf({ finishedAt }: Run): { expiresAt?: Date } {
  return finishedAt === undefined ? {} : { expiresAt: after(new Date(finishedAt), keptFor) };
}

/**
 * An entry whose time has come is not cancelled: the clock has ended it, or finds nothing to do. So going on after a wait costs nothing
 * here.
 */
function dueActions({ table, platform }: RunTables, was: Run, run: Run, now: Date): Action[] {
  const from = dueRun(table.organizationId, was);
  const to = dueRun(table.organizationId, run);
  if (from?.at === to?.at) {
    return [];
  }
  return [
    ...(from !== undefined && from.at >= timestamp(now) ? [cancelAction(platform, from)] : []),
    ...(to !== undefined ? [scheduleAction(platform, to)] : []),
  ];
}

/** The topics that may end a run, or a wait of it. */
function awaitedTopics(run: Run | undefined): Set<Topic> {
  if (run === undefined || run.finishedAt !== undefined) {
    return new Set();
  }
  const ofTokens = run.tokens.flatMap((token) => awaitedBy(token)?.awaits.topic ?? []);
  return new Set([...(run.endedBy ?? []), ...ofTokens]);
}

function awaitedActions(table: TableWriter, was: Run | undefined, run: Run): Action[] {
  const [from, to] = [awaitedTopics(was), awaitedTopics(run)];
  return [
    ...[...from.difference(to)].map((topic) => table.delete(awaitedEventKey(run._id, topic))),
    ...[...to.difference(from)].map((topic) =>
      table.put(awaitedEventKey(run._id, topic), { runId: run._id }),
    ),
  ];
}

function listActions(table: TableWriter, was: Run, run: Run): Action[] {
  const { _id: runId, workflowId, contactId } = run;
  const [from, to] = [runListFor(was.status), runListFor(run.status)];
  return from === to
    ? []
    : [
        table.delete(runEntryKey(workflowId, from, runId)),
        table.put(runEntryKey(workflowId, to, runId), { runId, contactId }, expiryOf(run)),
      ];
}

/**
 * A run started, continues, waits or ended: for those who may see its workflow, and therefore without what it did with its contact. Of one
 * that failed, workflows learn why, and at which node.
 */
function runEvent(run: Run, failedAt?: string): NewEvent {
  const { _id, workflowId, contactId, userId, revision, status, reason, chain } = run;
  return {
    event: 'workflow_run_updated',
    data: { runId: _id, workflowId, contactId, revision, status },
    audience: { kind: 'record', people: [userId] },
    actor: runActor({ runId: _id, workflowId }),
    ...(status === 'failed' && {
      change: { run: definedOnly({ nodeId: failedAt, reason }) },
      causedBy: { runId: _id, workflowId, chain },
    }),
  };
}

/** A change of a run adds this to the counters of each node: what its steps did, and how many more or fewer tokens wait there. */
function statisticsChanges(
  was: Run,
  run: Run,
  stepRecords: readonly StoredStepRecord[],
): Map<string, StatisticsChange> {
  const changes = new Map<string, Record<string, number>>();
  const add = (nodeId: string, counter: string, by: number) => {
    const counters = changes.get(nodeId) ?? {};
    counters[counter] = (counters[counter] ?? 0) + by;
    changes.set(nodeId, counters);
  };
  for (const { nodeId, status, reason } of stepRecords) {
    if (status !== 'waiting') {
      add(nodeId, status === 'skipped' ? `skipped_${reason}` : status, 1);
    }
  }
  for (const [nodeId, count] of waitingIn(was)) {
    add(nodeId, 'waiting', -count);
  }
  for (const [nodeId, count] of waitingIn(run)) {
    add(nodeId, 'waiting', count);
  }
  return changes;
}
