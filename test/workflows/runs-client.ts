import { startingRun } from '../../functions/workflows/model/execution/lifecycle.ts';
import { enrollmentKey } from '../../functions/workflows/model/runs/enrollment.ts';
import { readFailures } from '../../functions/workflows/model/runs/failures.ts';
import {
  type Run,
  runKey,
  type StoredStepRecord,
  type Token,
} from '../../functions/workflows/model/runs/run.ts';
import { runActions, startActions } from '../../functions/workflows/model/runs/run-actions.ts';
import { childId } from '../../shared/kernel/child-id.ts';
import { idAt } from '../../shared/kernel/id-at.ts';
import { after, day, minute, timestamp } from '../../shared/kernel/time.ts';
import type { RunStatus } from '../../shared/workflows/run-statuses.ts';
import { clockClient } from '../harness/clock.ts';
import type { Person, Product } from '../harness/product.ts';
import { everyPage, type Tenants } from '../harness/tenants.ts';
import { newWorkflow } from './client.ts';

export interface RunRecord {
  readonly _id: string;
  readonly workflowId: string;
  readonly contactId: string;
  readonly status: RunStatus;
  readonly [property: string]: unknown;
}

/** The operations on runs, as one person calls them. */
export function runsClient(product: Product, { token }: Person) {
  const call = (name: string, id: string, more = {}) => product.call(name, { token, path: { id }, ...more });
  const ofWorkflow = (id: string, query: Record<string, string> = {}) =>
    call('list-workflow-runs', id, { query });
  const ofContact = (id: string, query: Record<string, string> = {}) =>
    call('list-runs-of-contact', id, { query });
  return {
    read: (id: string) => call('read-workflow-run', id),
    cancel: (id: string) => call('cancel-workflow-run', id),
    run: (id: string, body: unknown) => call('run-workflow', id, { body }),
    retry: (id: string) => call('retry-workflow-run', id),
    continue: (id: string) => call('continue-workflow-run', id),
    statistics: (id: string) => call('read-workflow-statistics', id),
    cancelOfContact: (id: string, body: unknown = {}) => call('cancel-runs-of-contact', id, { body }),
    ofWorkflow,
    ofContact,
    everyOfWorkflow: (id: string, query?: Record<string, string>) =>
      everyPage<RunRecord>((more) => ofWorkflow(id, more), query),
    everyOfContact: (id: string, query?: Record<string, string>) =>
      everyPage<RunRecord>((more) => ofContact(id, more), query),
  };
}

export interface WrittenRun {
  readonly workflowId: string;
  readonly contactId: string;
  /** The owner of the workflow. */
  readonly userId: string;
  readonly status?: RunStatus;
  readonly reason?: string;
  readonly startedAt?: Date;
  readonly stepRecords?: readonly StoredStepRecord[];
  /** The fields of its event; none unless stated. */
  readonly event?: Readonly<Record<string, unknown>>;
  /** Where it stands; at a wait of a day, or at the step that failed, unless stated. */
  readonly tokens?: readonly Token[];
}

const usualReceipts = (at: Date): StoredStepRecord[] => [
  { n: 1, nodeId: 'trigger', type: 'trigger', status: 'passed', at: timestamp(at) },
  { n: 2, nodeId: 'note', type: 'addNote', status: 'passed', resultIds: { noteId: 'N1' }, at: timestamp(at) },
];

/** Where a run of this status stands. */
function usualTokens(status: RunStatus, at: Date): Token[] {
  switch (status) {
    case 'running':
      return [{ n: 1, nodeId: 'next' }];
    case 'waiting':
      return [{ n: 1, nodeId: 'pause', wait: { since: timestamp(at), until: timestamp(after(at, day)) } }];
    case 'failed':
      return [{ n: 1, nodeId: 'text' }];
    default:
      return [];
  }
}

/** Writes runs as they stand after some steps, without an engine that took these. */
export async function writeRuns(
  product: Product,
  organizationId: string,
  written: readonly WrittenRun[],
): Promise<Run[]> {
  const { table, moment } = product.tableOf(organizationId);
  const tables = { table, platform: clockClient(product).platform };
  const runs: Run[] = [];
  for (const { startedAt = new Date(), status = 'finished', reason, ...one } of written) {
    const { workflowId, contactId, userId, stepRecords = usualReceipts(startedAt) } = one;
    const clock = { now: startedAt, newId: moment.newId };
    const run = startingRun(
      {
        ...{ _id: childId(contactId, idAt(startedAt, moment.newId())), workflowId, contactId, userId },
        ...{ revision: 1, triggerId: 'trigger', topic: 'manual.started', chain: [workflowId] },
      },
      startedAt,
    );
    await table.commit([
      ...startActions(tables, run, one.event ?? {}, clock),
      table.updateAction(enrollmentKey(contactId, workflowId), {
        update: 'SET lastStarts = :at ADD running :one',
        values: { at: timestamp(startedAt), one: 1 },
      }),
    ]);
    const before = await table.read(runKey(run._id));
    if (before === undefined) {
      throw new Error('The run was not written');
    }
    const { tokens = usualTokens(status, startedAt) } = one;
    const isOver = !['running', 'waiting'].includes(status);
    const stood: Run = {
      ...{ ...run, status, tokens, steps: stepRecords.length },
      ...(reason !== undefined && { reason }),
      ...(isOver && { finishedAt: timestamp(after(startedAt, minute)) }),
    };
    const failures = await readFailures(table, workflowId);
    await table.commit(runActions(tables, { before, after: stood, stepRecords, failures }, clock));
    runs.push(stood);
  }
  return runs;
}

/** A run of a workflow of `rep` for a contact of theirs. */
export async function newRun(tenants: Tenants, more: Partial<WrittenRun> = {}): Promise<Run> {
  const { product, rep, newContact } = tenants;
  const [{ _id: workflowId }, { _id: contactId }] = await Promise.all([newWorkflow(tenants), newContact()]);
  const { userId, organizationId } = rep;
  const [run] = await writeRuns(product, organizationId, [{ workflowId, contactId, userId, ...more }]);
  if (run === undefined) {
    throw new Error('No run was written');
  }
  return run;
}

/** An enabled workflow of `rep` that somebody starts, and which then adds a note. */
export const newManualWorkflow = (tenants: Tenants, more: Record<string, unknown> = {}) =>
  newWorkflow(tenants, {
    nodes: [
      { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, data: { event: 'manual.started' } },
      { id: 'note', type: 'addNote', position: { x: 0, y: 140 }, data: { note: 'Hello' } },
    ],
    edges: [{ id: 'start-note', source: 'start', target: 'note' }],
    enabled: true,
    ...more,
  });
