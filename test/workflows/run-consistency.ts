import { expect } from 'vitest';
import { enrollmentKey } from '../../functions/workflows/model/runs/enrollment.ts';
import {
  awaitedBy,
  awaitedEventRange,
  type Run,
  runRange,
} from '../../functions/workflows/model/runs/run.ts';
import { after, day } from '../../shared/kernel/time.ts';
import { dueRun } from '../../shared/workflows/due-run.ts';
import { runEntryRange, runListFor, runLists } from '../../shared/workflows/run-lists.ts';
import { nodePart, readStatistics, waitingIn } from '../../shared/workflows/run-statistics.ts';
import { clockClient } from '../harness/clock.ts';
import type { Product } from '../harness/product.ts';

/** Whether the run has not ended. */
export const isActive = ({ finishedAt }: Run) => finishedAt === undefined;

/** The topics that may end a run, or a wait of it. */
const topicsOf = (run: Run) =>
  isActive(run)
    ? new Set([
        ...(run.endedBy ?? []),
        ...run.tokens.flatMap((token) => awaitedBy(token)?.awaits.topic ?? []),
      ])
    : new Set<string>();

interface Lives {
  readonly product: Product;
  readonly organizationId: string;
  readonly contactIds: readonly string[];
  readonly workflowIds: readonly string[];
  /** The ids of deleted contacts and workflows. */
  readonly removed: ReadonlySet<string>;
  readonly now: Date;
}

/** Checks that all rows about runs agree with the records of the runs, and resolves with these records. */
export async function expectConsistentRuns({
  product,
  organizationId,
  contactIds,
  workflowIds,
  removed,
  now,
}: Lives): Promise<readonly Run[]> {
  const { table } = product.tableOf(organizationId);
  const all: Run[] = [];
  for (const contactId of contactIds) {
    const own = (await table.list(runRange(contactId))).map(({ data }) => data);
    all.push(...own);
    if (removed.has(contactId)) {
      expect(await table.list({ partition: ['CONTACT', contactId] })).toEqual([]);
      continue;
    }
    const awaiting = await table.list(awaitedEventRange(contactId, 'contact.tag_added'));
    expect(awaiting.map(({ data }) => data.runId).sort()).toEqual(
      own.filter((run) => topicsOf(run).has('contact.tag_added')).map(({ _id }) => _id),
    );
    for (const workflowId of workflowIds) {
      const running = (await table.read(enrollmentKey(contactId, workflowId)))?.attributes?.running ?? 0;
      expect(running).toBe(own.filter((run) => run.workflowId === workflowId && isActive(run)).length);
    }
  }
  // Nothing is under way: each run waits, or has ended.
  expect(all.filter((run) => isActive(run) && run.status !== 'waiting')).toEqual([]);
  const due = (await clockClient(product).waitingUntil(after(now, 400 * day))).filter(({ group }) =>
    contactIds.includes(group),
  );
  const expected = all.flatMap((run) => dueRun(organizationId, run) ?? []);
  const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
  expect(due.toSorted(byId)).toEqual(expected.toSorted(byId));
  expect(expected.map(({ id }) => id).sort()).toEqual(
    all
      .filter(isActive)
      .map(({ _id }) => _id)
      .sort(),
  );

  for (const workflowId of workflowIds.filter((id) => !removed.has(id))) {
    const own = all.filter((run) => run.workflowId === workflowId);
    for (const list of runLists) {
      const entries = await table.list(runEntryRange(workflowId, list));
      expect(entries.map(({ data }) => data.runId)).toEqual(
        own
          .filter(({ status }) => runListFor(status) === list)
          .map(({ _id }) => _id)
          .sort(),
      );
    }
    const waiting: Record<string, number> = {};
    for (const [nodeId, count] of own.flatMap((run) => [...waitingIn(run)])) {
      waiting[nodePart(nodeId)] = (waiting[nodePart(nodeId)] ?? 0) + count;
    }
    const statistics = [...(await readStatistics(table, workflowId))].filter(([, one]) => one.waiting !== 0);
    expect(Object.fromEntries(statistics.map(([node, one]) => [node, one.waiting]))).toEqual(waiting);
  }
  return all;
}
