import { expect, test } from 'vitest';
import { enrolmentKey } from '../../functions/workflows/model/runs/enrolment.ts';
import {
  awaitedBy,
  awaitedEventRange,
  type Run,
  runRange,
} from '../../functions/workflows/model/runs/run.ts';
import { paceKey } from '../../functions/workflows/model/starts/pace.ts';
import { after, day, hour, minute } from '../../shared/kernel/time.ts';
import { dueRun } from '../../shared/workflows/due-run.ts';
import { runEntryRange, runListOf, runLists } from '../../shared/workflows/run-lists.ts';
import { nodePartOf, statisticsOf, waitingIn } from '../../shared/workflows/run-statistics.ts';
import { clockOf } from '../harness/clock.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { type Call, password } from '../harness/product.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange } from '../harness/world.ts';
import { deliver, type GraphNode, inARow, runsOf } from './advancing.ts';
import { newWorkflow } from './client.ts';
import { trigger } from './starting.ts';

const world = await setUpWorld();
const { product, rep } = world;
const { organizationId } = rep;
const runs = await runsOf(world);
const { table } = runs;
const clock = clockOf(product);
const queue = product.queues.workflowRuns;

/** The time of everything that happens. */
let now = new Date();
const stream = await tableStream(
  product,
  () => undefined,
  () => now,
);

/** Numbers below a limit, the same ones with each seed. Source: the generator mulberry32. */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

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

const tagged = (tag: string) => ({
  event: 'contact.tag_added',
  filter: [{ field: 'event.tag', operator: 'equals', value: tag }],
});
const delay = (hours: number): GraphNode => ({ type: 'delay', data: { value: hours, unit: 'hours' } });
const note: GraphNode = { type: 'addNote', data: { note: 'Call' } };
const reply: GraphNode = {
  type: 'waitForEvent',
  data: { ...tagged('b'), timeout: { value: 6, unit: 'hours' } },
};
const refused: GraphNode = { type: 'addNote', data: { note: '{{event.nothing}}' } };

/** A trigger, and paths beside each other that come together at the end. */
function fork(paths: readonly (readonly GraphNode[])[]) {
  const start = trigger('manual.started');
  const end = { id: 'end', type: 'addNote', data: { note: 'End', join: 'all' }, position: { x: 0, y: 0 } };
  const nodes: object[] = [start, end];
  const edges: object[] = [];
  for (const [index, path] of paths.entries()) {
    const rest = inARow(path).nodes.slice(1);
    const own = rest.map((node) => ({ ...node, id: `p${index}${node.id}` }));
    nodes.push(...own);
    const ids = ['trigger', ...own.map(({ id }) => id), 'end'];
    edges.push(...ids.slice(1).map((target, at) => ({ id: `${index}-${at}`, source: ids[at], target })));
  }
  return { nodes, edges };
}

const always = { settings: { reentry: 'always' } };
const graphs: readonly object[] = [
  { ...inARow([reply, note, reply, delay(2)], 'contact.created'), ...always },
  { ...fork([[delay(2), note], [reply], [delay(5), delay(1)]]), ...always },
  { ...fork([[refused], [delay(9), reply]]), ...always },
  { ...inARow([delay(30), note]), settings: { reentry: 'always', goal: tagged('c') } },
  { ...inARow([delay(3)]), ...always },
];
/** The last of them starts itself, as often as it may. */
const startingItself = (workflowId: string) =>
  inARow([delay(3), { type: 'startWorkflow', data: { workflowId } }]);

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

const isActive = ({ finishedAt }: Run) => finishedAt === undefined;

/** The topics that may end a run, or a wait of it. */
const topicsOf = (run: Run) =>
  isActive(run)
    ? new Set([
        ...(run.endedBy ?? []),
        ...run.tokens.flatMap((token) => awaitedBy(token)?.awaits.topic ?? []),
      ])
    : new Set<string>();

/** Compares what lies in the table about runs with what their records say. */
async function expectOneTruth(
  contactIds: readonly string[],
  workflowIds: readonly string[],
  removed: ReadonlySet<string>,
): Promise<readonly Run[]> {
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
      const running = (await table.read(enrolmentKey(contactId, workflowId)))?.attributes?.running ?? 0;
      expect(running).toBe(own.filter((run) => run.workflowId === workflowId && isActive(run)).length);
    }
  }
  // Nothing is under way: each run waits, or has ended.
  expect(all.filter((run) => isActive(run) && run.status !== 'waiting')).toEqual([]);
  const due = (await clock.waitingUntil(after(now, 400 * day))).filter(({ group }) =>
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
          .filter(({ status }) => runListOf(status) === list)
          .map(({ _id }) => _id)
          .sort(),
      );
    }
    const waiting: Record<string, number> = {};
    for (const [nodeId, count] of own.flatMap((run) => [...waitingIn(run)])) {
      waiting[nodePartOf(nodeId)] = (waiting[nodePartOf(nodeId)] ?? 0) + count;
    }
    const statistics = [...(await statisticsOf(table, workflowId))].filter(([, one]) => one.waiting !== 0);
    expect(Object.fromEntries(statistics.map(([node, one]) => [node, one.waiting]))).toEqual(waiting);
  }
  return all;
}

test('After whatever happens to runs, every row about them says what their records say', async () => {
  const random = randomFrom(1);
  const one = <Item>(items: readonly Item[]): Item | undefined => items[random(items.length || 1)];
  const workflowIds: string[] = [];
  for (const graph of graphs) {
    const settings = { rate: { value: 4, unit: 'day' }, ...(graph as { settings: object }).settings };
    const { _id } = await newWorkflow(world, { enabled: true, ...graph, settings });
    workflowIds.push(_id);
    // The first starts were long ago: all further ones are spread.
    const reservedUntil = now.getTime() + 49 * 6 * hour;
    await table.update(paceKey(_id), {
      update: 'SET reservedUntil = :reservedUntil',
      values: { reservedUntil },
    });
  }
  const itself = workflowIds.at(-1) ?? '';
  await arrange(callFor('update-workflow', itself, startingItself(itself)));
  const contactIds: string[] = [];
  const removed = new Set<string>();
  const seen = new Set<string>();
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
      await (id && random(3) === 0 && arrange(callFor('cancel-runs-of-contact', id, {})));
    },
    async () => {
      const id = one(living());
      if (id !== undefined && random(3) === 0) {
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
      for (const { status, startsAt, steps } of await expectOneTruth(contactIds, workflowIds, removed)) {
        ended.add(startsAt !== undefined && steps === 0 ? `${status} before its start` : status);
      }
    }
  }
  // All that can happen happens.
  for (let days = 0; days < 60; days += 2) {
    now = after(now, 2 * day);
    await settle();
    const all = await expectOneTruth(contactIds, workflowIds, removed);
    if (all.every(({ finishedAt }) => finishedAt !== undefined)) {
      break;
    }
  }
  expect((await expectOneTruth(contactIds, workflowIds, removed)).filter(isActive)).toEqual([]);
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
