import { expect, test } from 'vitest';
import { type Run, runRange } from '../../functions/workflows/model/runs/run.ts';
import { reservedStartsKey } from '../../functions/workflows/model/triggers/start-times.ts';
import { after, day, hour, minute } from '../../shared/kernel/time.ts';
import type { Call } from '../harness/call.ts';
import { clockClient } from '../harness/clock.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { randomness } from '../harness/randomness.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange } from '../harness/tenants.ts';
import { deliver, prepareRuns } from './advancing.ts';
import { newWorkflow } from './client.ts';
import { expectConsistentRuns, isActive } from './run-consistency.ts';
import { startingItself, variedGraphs } from './varied-graphs.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;
const { organizationId } = rep;
const runs = await prepareRuns(tenants);
const { table } = runs;
const clock = clockClient(product);
const queue = product.queues.workflowRuns;

/** The time of everything that happens. */
let now = new Date();
const stream = await tableStream(
  product,
  () => undefined,
  () => now,
);

const signedIn = { token: '', at: new Date(0) };

/** What somebody does now: they sign in anew each half hour. */
async function call(name: string, more: Call) {
  if (now.getTime() - signedIn.at.getTime() > 30 * minute) {
    const body = { email: rep.email, password };
    const { token } = await arrange(product.call('login', { body, at: now }));
    Object.assign(signedIn, { token, at: now });
  }
  return product.call(name, { token: signedIn.token, at: now, ...more });
}
const callFor = (name: string, id: string, body?: unknown) =>
  call(name, { path: { id }, ...(body !== undefined && { body }) });

/** Has everything happen that is due or asked for, until nothing is. */
async function settle(): Promise<void> {
  for (;;) {
    await stream.settle();
    await clock.run(now);
    await stream.settle();
    const messages = queue.take();
    if (messages.length === 0) {
      return;
    }
    await deliver(messages, now, runs.providers);
  }
}

test('After whatever happens to runs, every row about them says what their records say', async () => {
  const { below } = randomness(1);
  const one = <Item>(items: readonly Item[]): Item | undefined => items[below(items.length || 1)];
  const workflowIds: string[] = [];
  for (const graph of variedGraphs) {
    const settings = { rate: { value: 4, unit: 'day' }, ...(graph as { settings: object }).settings };
    const { _id } = await newWorkflow(tenants, { enabled: true, ...graph, settings });
    workflowIds.push(_id);
    // The first starts were long ago: all further ones are spread.
    const reservedUntil = now.getTime() + 49 * 6 * hour;
    await table.update(reservedStartsKey(_id), {
      update: 'SET reservedUntil = :reservedUntil',
      values: { reservedUntil },
    });
  }
  const itself = workflowIds.at(-1) ?? '';
  await arrange(callFor('update-workflow', itself, startingItself(itself)));
  const contactIds: string[] = [];
  const removed = new Set<string>();
  const seen = new Set<string>();
  const truth = () =>
    expectConsistentRuns({ product, organizationId, contactIds, workflowIds, removed, now });
  const living = () => contactIds.filter((id) => !removed.has(id));
  const anyRun = async (isMeant: (run: Run) => boolean) => {
    const lists = await Promise.all(living().map((id) => table.list(runRange(id))));
    return one(
      lists
        .flat()
        .map(({ data }) => data)
        .filter(isMeant),
    );
  };
  const newContact = async () => {
    const body = { firstName: 'Ada', tags: [] };
    const { data } = await arrange(call('create-contact', { body }));
    contactIds.push(data._id);
  };
  const addTag = async (tag: string) => {
    const contactId = one(living());
    await (contactId && arrange(callFor('update-contact', contactId, { tags: [] })));
    await (contactId && arrange(callFor('update-contact', contactId, { tags: [tag] })));
  };
  const act = async (name: string, isMeant: (run: Run) => boolean = () => true) => {
    const run = await anyRun(isMeant);
    if (run) {
      seen.add(`${name} ${(await callFor(name, run._id)).status}`);
    }
  };
  const acts: readonly (() => Promise<unknown>)[] = [
    newContact,
    newContact,
    () => addTag('b'),
    () => addTag('b'),
    () => addTag('c'),
    async () => {
      const some = living().slice(-3);
      const id = one(workflowIds.slice(1)) ?? '';
      await (some.length > 0 && callFor('run-workflow', id, { contactIds: some }));
    },
    async () => {
      const some = living().slice(-2);
      const id = workflowIds[2] ?? '';
      await (some.length > 0 && callFor('run-workflow', id, { contactIds: some }));
    },
    () => act('cancel-workflow-run'),
    () => act('continue-workflow-run', isActive),
    () => act('cancel-workflow-run', ({ startsAt, steps }) => startsAt !== undefined && steps === 0),
    () => act('retry-workflow-run', ({ status }) => status === 'failed'),
    async () => {
      const id = one(living());
      await (id && below(3) === 0 && arrange(callFor('cancel-runs-of-contact', id, {})));
    },
    async () => {
      const id = one(living());
      if (id !== undefined && below(3) === 0) {
        // The stream of these tests does not tell of what comes and goes between two looks.
        await stream.settle();
        await arrange(callFor('delete-contact', id));
        removed.add(id);
      }
    },
    async () => void (await stream.settle()),
    async () => void (await deliver(queue.take(), now, runs.providers)),
  ];
  const ended = new Set<string>();
  for (let index = 0; index < 96; index += 1) {
    // Within milliseconds, or hours later, in which the clock did not run.
    now = after(now, one([1, 1, minute, 10 * minute, 2 * hour]) ?? 1);
    await one(acts)?.();
    if (index === 80) {
      await arrange(callFor('delete-workflow', workflowIds[3] ?? ''));
      removed.add(workflowIds[3] ?? '');
    }
    if (index % 12 === 11) {
      await settle();
      for (const { status, startsAt, steps } of await truth()) {
        ended.add(startsAt !== undefined && steps === 0 ? `${status} before its start` : status);
      }
    }
  }
  // All that can happen happens.
  for (let days = 0; days < 60; days += 2) {
    now = after(now, 2 * day);
    await settle();
    const all = await truth();
    if (all.every(({ finishedAt }) => finishedAt !== undefined)) {
      break;
    }
  }
  expect((await truth()).filter(isActive)).toEqual([]);
  expect([...ended].sort()).toEqual(
    expect.arrayContaining(['cancelled', 'failed', 'finished', 'waiting', 'waiting before its start']),
  );
  expect([...seen].sort()).toEqual(
    expect.arrayContaining([
      'cancel-workflow-run 200',
      'continue-workflow-run 200',
      'retry-workflow-run 200',
    ]),
  );
});
