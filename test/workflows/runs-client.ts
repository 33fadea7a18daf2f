import { type Receipt, type Run, receiptKey, runKey } from '../../functions/workflows/model/runs/run.ts';
import { childId } from '../../shared/contacts/contact.ts';
import { idAt } from '../../shared/kernel/id-at.ts';
import { after, minute, timestamp } from '../../shared/kernel/time.ts';
import { runEntryKey, runListOf } from '../../shared/workflows/run-lists.ts';
import type { RunStatus } from '../../shared/workflows/run-statuses.ts';
import type { Person, Product } from '../harness/product.ts';
import { everyPage, type World } from '../harness/world.ts';
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
  readonly receipts?: readonly Receipt[];
}

const usualReceipts = (at: Date): Receipt[] => [
  { n: 1, nodeId: 'trigger', type: 'trigger', status: 'passed', at: timestamp(at) },
  { n: 2, nodeId: 'note', type: 'addNote', status: 'passed', things: { noteId: 'N1' }, at: timestamp(at) },
];

/** Writes runs as they are, without an engine behind them. */
export async function writeRuns(
  { tableOf }: Product,
  organizationId: string,
  written: readonly WrittenRun[],
): Promise<Run[]> {
  const { table, moment } = tableOf(organizationId);
  const runs: Run[] = [];
  for (const { startedAt = new Date(), status = 'finished', reason, ...one } of written) {
    const { workflowId, contactId, userId, receipts = usualReceipts(startedAt) } = one;
    const isOver = !['running', 'waiting'].includes(status);
    const run: Run = {
      ...{ _id: childId(contactId, idAt(startedAt, moment.newId())), workflowId, contactId, userId },
      ...{ revision: 1, status, ...(reason !== undefined && { reason }) },
      ...{ triggerId: 'trigger', topic: 'manual.started', chain: [workflowId], tokens: [] },
      ...{ steps: receipts.length, tokenCount: 1, startedAt: timestamp(startedAt) },
      ...(isOver && { finishedAt: timestamp(after(startedAt, minute)) }),
    };
    const entry = { runId: run._id, contactId };
    await table.commit([
      table.add(runKey(run._id), run),
      ...receipts.map((receipt) => table.put(receiptKey(run._id, receipt.n), receipt)),
      table.put(runEntryKey(workflowId, runListOf(status), run._id), entry),
    ]);
    runs.push(run);
  }
  return runs;
}

/** A run of a workflow of the world's `rep` for a contact of theirs. */
export async function newRun(world: World, more: Partial<WrittenRun> = {}): Promise<Run> {
  const { product, rep, newContact } = world;
  const [{ _id: workflowId }, { _id: contactId }] = await Promise.all([newWorkflow(world), newContact()]);
  const { userId, organizationId } = rep;
  const [run] = await writeRuns(product, organizationId, [{ workflowId, contactId, userId, ...more }]);
  if (run === undefined) {
    throw new Error('No run was written');
  }
  return run;
}
