import { expect, test } from 'vitest';
import { endRun } from '../../functions/workflows/model/runs/change-run.ts';
import {
  awaitedEventRange,
  type Run,
  readyRunKey,
  runKey,
  type Token,
} from '../../functions/workflows/model/runs/run.ts';
import { stepGateForContact } from '../../functions/workflows/model/runs/run-gate.ts';
import { dueKeyFor } from '../../shared/events/due-entry.ts';
import { after, day, timestamp } from '../../shared/kernel/time.ts';
import { dueRun } from '../../shared/workflows/due-run.ts';
import { runEntryKey } from '../../shared/workflows/run-lists.ts';
import { readStatistics } from '../../shared/workflows/run-statistics.ts';
import { clockClient } from '../harness/clock.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, countStatuses, expectStatus, failure, outcome } from '../harness/tenants.ts';
import { newRun, runsClient, writeRuns } from './runs-client.ts';

const tenants = await setUpTenants();
const { product, admin, head, rep, otherRep, newContact } = tenants;
const { table, moment } = product.tableOf(admin.organizationId);
const { platform } = clockClient(product);
const client = runsClient(product, rep);

const isReady = async ({ _id }: Run) => (await table.read(readyRunKey(_id))) !== undefined;
const stored = async ({ _id }: Run) => (await table.read(runKey(_id)))?.data;
const listsOf = async ({ _id, workflowId }: Run) => {
  const lists = ['active', 'finished', 'failed', 'cancelled'] as const;
  const entries = await table.readMany(lists.map((list) => runEntryKey(workflowId, list, _id)));
  return lists.filter((_, index) => entries[index] !== undefined);
};
const isDue = async (run: Run) => {
  const entry = dueRun(admin.organizationId, run);
  return entry !== undefined && (await platform.read(dueKeyFor(entry))) !== undefined;
};
const waitingOf = async ({ workflowId }: Run) =>
  [...(await readStatistics(table, workflowId)).values()].reduce((sum, { waiting }) => sum + waiting, 0);

/** Waits for a reply and, beside it, for a time. */
const since = timestamp(new Date());
const waits: Token[] = [
  {
    ...{ n: 1, nodeId: 'reply' },
    wait: {
      ...{ since, until: timestamp(after(new Date(), 3 * day)) },
      awaits: { topic: 'message.received', filter: [], match: 'all' },
    },
  },
  { n: 2, nodeId: 'pause', wait: { since, until: timestamp(after(new Date(), day)) } },
  { n: 3, nodeId: 'join', wait: { since } },
];

test('A run that is cancelled ends, and neither clock, events nor statistics know of it any more', async () => {
  const run = await newRun(tenants, { status: 'waiting', tokens: waits });
  expect([await isDue(run), await listsOf(run), await waitingOf(run)]).toEqual([true, ['active'], 3]);
  expect(await table.list(awaitedEventRange(run.contactId, 'message.received'))).toHaveLength(1);
  const { data } = expectStatus(await client.cancel(run._id), 200);
  expect(data).toMatchObject({ _id: run._id, status: 'cancelled', finishedAt: expect.any(String) });
  expect(data).toEqual((await arrange(client.read(run._id))).data);
  expect([await isDue(run), await listsOf(run), await waitingOf(run)]).toEqual([false, ['cancelled'], 0]);
  expect(await table.list(awaitedEventRange(run.contactId, 'message.received'))).toEqual([]);
  expect((await stored(run))?.tokens).toEqual([]);
});

test.each(['finished', 'failed', 'cancelled'] as const)(
  'A run that is %s cannot be cancelled, and can be continued as little',
  async (status) => {
    const { _id } = await newRun(tenants, { status });
    expect(outcome(await client.cancel(_id))).toEqual(
      failure(409, `Only a run that is running or waiting can be cancelled, and this one is ${status}.`),
    );
    expect(outcome(await client.continue(_id))).toEqual(
      failure(
        409,
        `Only a run that is running or waits for a time or an event can be continued, and this one is ${status}.`,
      ),
    );
  },
);

test('A run that is continued goes on at once: a wait for an event as if nothing had come, a join not at all', async () => {
  const run = await newRun(tenants, { status: 'waiting', tokens: waits });
  const { data } = expectStatus(await client.continue(run._id), 200);
  expect(data.status).toBe('running');
  expect((await stored(run))?.tokens.map(({ wait }) => wait?.ended)).toEqual(['timeout', 'time', undefined]);
  expect([await isReady(run), await isDue(run), await listsOf(run)]).toEqual([true, false, ['active']]);
});

test('A run that waits for nothing but its own paths cannot be continued', async () => {
  const run = await newRun(tenants, { status: 'waiting', tokens: waits.slice(2) });
  expect((await client.continue(run._id)).status).toBe(409);
});

test('A run that is running and stands still goes on when it is continued', async () => {
  const run = await newRun(tenants, { status: 'running' });
  await table.deleteMany([readyRunKey(run._id)]);
  const { data } = expectStatus(await client.continue(run._id), 200);
  expect([data.status, await isReady(run)]).toEqual(['running', true]);
  expect(await stored(run)).toEqual(run);
});

test('A run that failed goes on from the step that failed', async () => {
  const tokens = [{ n: 1, nodeId: 'text' }, ...waits.slice(1, 2)];
  const run = await newRun(tenants, { status: 'failed', reason: 'Not possible.', tokens });
  expect([await isDue(run), await listsOf(run)]).toEqual([false, ['failed']]);
  const { data } = expectStatus(await client.retry(run._id), 200);
  expect(data).toMatchObject({ status: 'running' });
  expect(data).not.toHaveProperty('reason');
  expect(data).not.toHaveProperty('finishedAt');
  const after = await stored(run);
  expect(after?.tokens).toEqual(tokens);
  // Beside the failed step, it waits on.
  expect([await isReady(run), after && (await isDue(after)), await listsOf(run)]).toEqual([
    true,
    true,
    ['active'],
  ]);
  expect((await client.retry(run._id)).status).toBe(409);
});

test.each(['running', 'waiting', 'finished', 'cancelled'] as const)(
  'A run that is %s cannot be retried',
  async (status) => {
    const { _id } = await newRun(tenants, { status });
    expect(outcome(await client.retry(_id))).toEqual(
      failure(409, `Only a run that failed can be retried, and this one is ${status}.`),
    );
  },
);

test('A run that was too long cannot be retried', async () => {
  const { _id } = await newRun(tenants, { status: 'failed', reason: 'too_long', tokens: [] });
  expect(outcome(await client.retry(_id))).toEqual(
    failure(409, 'This run cannot be retried: it was too long.'),
  );
});

test.each([
  ['workflow_deleted', 'The workflow is deleted.'],
  ['cancelled', 'All runs of this revision were cancelled.'],
])(
  'A run of a workflow whose runs all ended (%s) goes on neither by a retry nor from its wait',
  async (reason, why) => {
    const change = { update: 'SET lastEnded = :one, reason = :reason', values: { one: 1, reason } };
    const end = (run: Run) =>
      table.commit([table.updateAction(stepGateForContact(run.workflowId, run.contactId), change)]);
    const refused = failure(409, `This run cannot continue. ${why}`);
    const run = await newRun(tenants, { status: 'failed' });
    await end(run);
    expect(outcome(await client.retry(run._id))).toEqual(refused);
    expect(await listsOf(run)).toEqual(['failed']);
    const waiting = await newRun(tenants, { status: 'waiting' });
    await end(waiting);
    expect(outcome(await client.continue(waiting._id))).toEqual(refused);
    expect(await stored(waiting)).toEqual(waiting);
  },
);

test('A user who sees the contact but not the workflow may neither resume nor cancel a run', async () => {
  const { data } = await arrange(
    product.call('create-workflow', { token: admin.token, body: { name: 'Not for the rep' } }),
  );
  const { _id: contactId } = await newContact();
  const theirs = { workflowId: data._id, contactId, userId: admin.userId };
  const [failed, waiting] = await writeRuns(product, admin.organizationId, [
    { ...theirs, status: 'failed' },
    { ...theirs, status: 'waiting' },
  ]);
  const refused = failure(403, 'Only users who can see the workflow may do this. Ask its owner or an ADMIN.');
  for (const person of [rep, head]) {
    const one = runsClient(product, person);
    expect(outcome(await one.retry(failed?._id ?? ''))).toEqual(refused);
    expect(outcome(await one.continue(waiting?._id ?? ''))).toEqual(refused);
    expect(outcome(await one.cancel(waiting?._id ?? ''))).toEqual(refused);
  }
  expect((await runsClient(product, otherRep).retry(failed?._id ?? '')).status).toBe(404);
  expect((await runsClient(product, admin).retry(failed?._id ?? '')).status).toBe(200);
  expect((await runsClient(product, admin).cancel(waiting?._id ?? '')).status).toBe(200);
});

test('Ten who cancel, continue and retry a run at once: each is done or refused, and the run is in one list', async () => {
  const run = await newRun(tenants, { status: 'waiting' });
  const cancels = await Promise.all(Array.from({ length: 10 }, () => client.cancel(run._id)));
  expect(countStatuses(cancels)).toEqual({ 200: 1, 409: 9 });
  const other = await newRun(tenants, { status: 'failed' });
  const retries = await Promise.all(Array.from({ length: 10 }, () => client.retry(other._id)));
  expect(countStatuses(retries)).toEqual({ 200: 1, 409: 9 });
  const third = await newRun(tenants, { status: 'waiting' });
  const mixed = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      index % 2 ? client.continue(third._id) : client.cancel(third._id),
    ),
  );
  const [continued, cancelled] = [1, 0].map(
    (rest) => mixed.filter(({ status }, index) => index % 2 === rest && status === 200).length,
  );
  expect([cancelled, continued !== undefined && continued <= 5]).toEqual([1, true]);
  expect([await listsOf(third), await waitingOf(third)]).toEqual([['cancelled'], 0]);
});

test('A run that ends while it is cancelled ends once', async () => {
  const run = await newRun(tenants, { status: 'waiting' });
  const tables = { table, platform };
  const [response] = await Promise.all([
    client.cancel(run._id),
    endRun(tables, run._id, { status: 'finished', reason: 'goal' }, { now: new Date(), newId: moment.newId }),
  ]);
  const after = await stored(run);
  expect(after?.status).toBe(response.status === 200 ? 'cancelled' : 'finished');
  expect(await listsOf(run)).toEqual([after?.status]);
});

test('All runs of a contact are cancelled together, those that ended stay, and so do those of others', async () => {
  const first = await newRun(tenants, { status: 'waiting' });
  const { contactId, userId, workflowId } = first;
  const hers = { contactId, userId, workflowId };
  const [second, finished] = await writeRuns(product, admin.organizationId, [
    { ...hers, status: 'running' },
    { ...hers, status: 'finished' },
  ]);
  const other = await newRun(tenants, { status: 'waiting' });
  const body = expectStatus(await client.cancelOfContact(contactId), 200);
  const runs = [first, second].map((run) => ({ runId: run?._id, workflowId }));
  expect(body).toEqual({ success: true, message: '2 runs cancelled', data: { runs } });
  expect(finished && (await stored(finished))?.status).toBe('finished');
  expect((await stored(other))?.status).toBe('waiting');
  expect((await arrange(client.cancelOfContact(contactId))).data).toEqual({ runs: [] });
  expect((await runsClient(product, otherRep).cancelOfContact(contactId)).status).toBe(404);
});
