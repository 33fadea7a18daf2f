import { expect, test } from 'vitest';
import { advanceRun } from '../../../functions/workflows/model/runs/advance-run.ts';
import { enrollmentKey } from '../../../functions/workflows/model/runs/enrollment.ts';
import { endOthers } from '../../../functions/workflows/model/runs/others-to-end.ts';
import { after, minute, timestamp } from '../../../shared/kernel/time.ts';
import { runsOfContactToEndKey } from '../../../shared/workflows/runs-of-contact-to-end.ts';
import { setUpTenants } from '../../harness/fixtures.ts';
import { tableStream } from '../../harness/table-stream.ts';
import { arrange } from '../../harness/tenants.ts';
import { type GraphNode, inARow, prepareRuns } from '../advancing.ts';
import { workflowsClient } from '../client.ts';
import { runsClient, writeRuns } from '../runs-client.ts';

const tenants = await setUpTenants();
const { product, admin, rep, otherRep, newContact } = tenants;
const runs = await prepareRuns(tenants);
const stream = await tableStream(product);
const client = runsClient(product, rep);

const read = async (id: string) => (await client.read(id)).body.data;
const starting = (workflowId: string) =>
  runs.newWorkflow(inARow([{ type: 'startWorkflow', data: { workflowId } }]));
const waiting = () => runs.newWorkflow(inARow([{ type: 'delay', data: { value: 1, unit: 'days' } }]));
const stopping = (data: Record<string, unknown> = {}) =>
  runs.newWorkflow(inARow([{ type: 'stopOthers', data }]));

type Workflow = Awaited<ReturnType<typeof starting>>;

/** A run from its start until it waits or ends, with what follows from it. */
async function ran(workflow: Workflow, contactId: string, at = new Date()) {
  const id = await runs.start(workflow, contactId, { at });
  await runs.advance(id, at);
  await stream.settle();
  await runs.deliverAll(at);
  return read(id);
}

test('A step starts another workflow for the contact, whose run names both workflows as its chain', async () => {
  const { _id: contactId } = await newContact();
  const child = await runs.newWorkflow(inARow([{ type: 'addTags', data: { tags: ['child'] } }]));
  const parent = await starting(child._id);
  const { steps } = await ran(parent, contactId);
  expect(steps.at(-1)).toMatchObject({ status: 'passed', startedRunId: expect.any(String) });
  const started = await read(steps.at(-1).startedRunId);
  expect(started).toMatchObject({ workflowId: child._id, contactId, status: 'finished' });
  expect(await runs.run(started._id)).toMatchObject({ chain: [parent._id, child._id], userId: rep.userId });
});

test('A workflow with more triggers than one transaction has room for cannot be started by a step, and none of them is', async () => {
  const { _id: contactId } = await newContact();
  const triggers = (count: number) =>
    runs.newWorkflow({
      nodes: Array.from({ length: count }, (_, index) => ({
        ...{ id: `t${index}`, type: 'trigger', position: { x: 0, y: 0 } },
        data: { event: 'manual.started' },
      })),
    });
  const [six, seven] = [await triggers(6), await triggers(7)];
  expect((await ran(await starting(six._id), contactId)).steps.at(-1)).toMatchObject({ status: 'passed' });
  expect((await ran(await starting(seven._id), contactId)).steps.at(-1)).toMatchObject({
    status: 'failed',
    reason: 'A step can start at most 6 triggers of a workflow, and this one has 7',
  });
  const ofWorkflow = async ({ _id }: Workflow) => (await client.everyOfWorkflow(_id)).length;
  expect([await ofWorkflow(six), await ofWorkflow(seven)]).toEqual([6, 0]);
});

/** A workflow that contacts may always enter, whose step starts it anew, and whatever comes before and after that step. */
async function startingItself(before: readonly GraphNode[] = [], after: readonly GraphNode[] = []) {
  const { _id } = await starting('-');
  const start = { type: 'startWorkflow', data: { workflowId: _id } };
  const edit = { ...inARow([...before, start, ...after]), settings: { reentry: 'always' } };
  return arrange(workflowsClient(product, rep).update(_id, edit));
}

test('A workflow that contacts may always enter starts itself anew until the loop guard stops it, whether or not its runs end with that', async () => {
  for (const after of [[], [{ type: 'delay', data: { value: 1, unit: 'days' } }]]) {
    const { _id: contactId } = await newContact();
    const { data: itself } = await startingItself([{ type: 'addNote', data: { note: 'Round' } }], after);
    await arrange(client.run(itself._id, { contactId }));
    await stream.settle();
    for (let round = 0; round < 7; round += 1) {
      await runs.deliverAll();
      await stream.settle();
    }
    const all = await client.everyOfContact(contactId);
    expect(all.map(({ status }) => status)).toEqual(
      Array(6).fill(after.length === 0 ? 'finished' : 'waiting'),
    );
    const starts = all.map(({ steps }) =>
      (steps as Record<string, unknown>[]).find(({ type }) => type === 'startWorkflow'),
    );
    // The newest one first: each of the others has started the one before it.
    expect(starts[0]).toMatchObject({ status: 'skipped', reason: 'loop_guard' });
    expect(starts.slice(1).map((step) => step?.startedRunId)).toEqual(all.slice(0, -1).map(({ _id }) => _id));
    const enrollment = await runs.table.read(enrollmentKey(contactId, itself._id));
    expect(enrollment?.attributes).toMatchObject({ running: after.length === 0 ? 0 : 6 });
  }
});

test('A step does not start its own workflow once that is disabled, and does nothing once its runs are ended', async () => {
  for (const [cancelRuns, status, reason] of [
    ['false', 'finished', undefined],
    ['true', 'cancelled', 'workflow_disabled'],
  ] as const) {
    const { _id: contactId } = await newContact();
    const { data: itself } = await startingItself();
    const id = await runs.start(itself, contactId, { revision: 2 });
    const usual = runs.contextAt(new Date());
    const stepOperations: typeof usual.stepOperations = {
      run: (name, request, context) =>
        usual.stepOperations.run(name, request, {
          ...context,
          table: {
            ...context.table,
            async commit(actions) {
              // It was enabled when the step looked.
              const path = { id: itself._id };
              const off = { token: rep.token, path, query: { cancelRuns }, body: { enabled: false } };
              await arrange(product.call('toggle-workflow', off));
              return context.table.commit(actions);
            },
          },
        }),
    };
    await advanceRun({ ...usual, stepOperations }, id);
    expect(await runs.run(id)).toMatchObject({ status, ...(reason && { reason }) });
    expect(await client.everyOfContact(contactId)).toHaveLength(1);
  }
});

test('A run that is ended with its workflow while it starts another one has done nothing, and says so', async () => {
  const { _id: contactId } = await newContact();
  const child = await waiting();
  const parent = await starting(child._id);
  const id = await runs.start(parent, contactId);
  const usual = runs.contextAt(new Date());
  const stepOperations: typeof usual.stepOperations = {
    async run(name, request, context) {
      const path = { id: parent._id };
      const ending = { token: rep.token, path, query: { cancelRuns: 'true' }, body: { enabled: false } };
      await arrange(product.call('toggle-workflow', ending));
      return usual.stepOperations.run(name, request, context);
    },
  };
  await advanceRun({ ...usual, stepOperations }, id);
  expect(await runs.run(id)).toMatchObject({ status: 'cancelled', reason: 'workflow_disabled' });
  expect((await runs.stepRecords(id)).map(({ type }) => type)).toEqual(['trigger']);
  expect(await client.everyOfContact(contactId)).toHaveLength(1);
});

test('A workflow that the owner cannot see, that is disabled or is gone does not start, for the reason that it does not start by hand', async () => {
  const { _id: contactId } = await newContact();
  const [disabled, gone] = [await waiting(), await waiting()];
  await arrange(workflowsClient(product, rep).toggle(disabled._id, { enabled: false }));
  await arrange(workflowsClient(product, rep).remove(gone._id));
  const others = await workflowsClient(product, otherRep).created({ ...inARow([]), enabled: true });
  for (const { _id } of [others, disabled, gone]) {
    const byHand = await product.call('run-workflow', {
      token: rep.token,
      ...{ path: { id: _id }, body: { contactId } },
    });
    expect(byHand.status).toBeGreaterThanOrEqual(400);
    const { steps } = await ran(await starting(_id), contactId);
    const { message } = byHand.body;
    expect(steps.at(-1)).toMatchObject(
      byHand.status === 404
        ? { status: 'skipped', reason: 'workflow_gone' }
        : { status: 'failed', reason: message },
    );
  }
});

test('A step ends all other runs of the contact, however many there are, and neither its own nor those of others', async () => {
  const [{ _id: contactId }, { _id: otherId }] = [await newContact(), await newContact()];
  const workflows = [await waiting(), await waiting()];
  const { organizationId, userId } = rep;
  const many = Array.from({ length: 15 }, () => workflows).flat();
  const written = await writeRuns(
    product,
    organizationId,
    many.map(({ _id: workflowId }) => ({ workflowId, contactId, userId, status: 'waiting' })),
  );
  const elsewhere = await runs.start(await waiting(), otherId);
  await runs.advance(elsewhere);
  expect(await ran(await stopping(), contactId)).toMatchObject({ status: 'finished' });
  for (const { _id } of written) {
    expect(await read(_id)).toMatchObject({ status: 'cancelled', reason: 'stopped_by_workflow' });
  }
  expect(await read(elsewhere)).toMatchObject({ status: 'waiting' });
});

test('A step ends no runs of workflows with wider rights than its own', async () => {
  const { _id: contactId } = await newContact();
  const { _id: workflowId } = await workflowsClient(product, admin).created();
  const theirs = { workflowId, contactId, userId: admin.userId, status: 'waiting' } as const;
  const [kept] = await writeRuns(product, rep.organizationId, [theirs]);
  const alone = await ran(await stopping(), contactId);
  expect(alone.steps.at(-1)).toMatchObject({
    ...{ type: 'stopOthers', status: 'passed' },
    reason:
      '0 runs cancelled. 1 goes on, whose workflow has wider rights than you: ask its owner or an ADMIN.',
  });
  const own = await runs.start(await waiting(), contactId);
  await runs.advance(own);
  expect(await ran(await stopping(), contactId)).toMatchObject({ status: 'finished' });
  expect(await read(own)).toMatchObject({ status: 'cancelled', reason: 'stopped_by_workflow' });
  expect(await read(kept?._id ?? '')).toMatchObject({ status: 'waiting' });
});

test('A step ends only runs of the workflows that it names, and those that begin later go on', async () => {
  const { _id: contactId } = await newContact();
  const [named, other] = [await waiting(), await waiting()];
  const at = new Date();
  const [ended, kept] = [
    await runs.start(named, contactId, { at }),
    await runs.start(other, contactId, { at }),
  ];
  const stop = await runs.start(await stopping({ workflowIds: [named._id] }), contactId, { at });
  await Promise.all([ended, kept, stop].map((id) => runs.advance(id, at)));
  const later = await runs.start(named, contactId, { at: after(at, minute) });
  await stream.settle();
  await runs.deliverAll(after(at, minute));
  expect(await read(ended)).toMatchObject({ status: 'cancelled', reason: 'stopped_by_workflow' });
  expect(await read(kept)).toMatchObject({ status: 'waiting' });
  expect(await read(later)).toMatchObject({ status: 'waiting' });
});

test('Without other runs there is nothing to end, and the step record says so; a contact out of sight is refused', async () => {
  const { _id: contactId } = await newContact();
  const stop = await stopping();
  expect((await ran(stop, contactId)).steps.at(-1)).toMatchObject({
    status: 'passed',
    reason: '0 runs cancelled',
  });
  const body = { firstName: 'Foreign' };
  const foreign = await arrange(product.call('create-contact', { token: admin.token, body }));
  const id = await runs.start(stop, foreign.data._id);
  await runs.advance(id);
  expect(await runs.run(id)).toMatchObject({ status: 'failed', reason: 'Contact not found' });
});

test('Of very many other runs of a contact, each batch of the stream ends some, and asks for the next one', async () => {
  const { _id: contactId } = await newContact();
  const workflow = await waiting();
  for (let started = 0; started < 3; started += 1) {
    await runs.advance(await runs.start(workflow, contactId));
  }
  const { tables, now, newId } = runs.contextAt(new Date());
  const by = { userId: rep.userId, role: rep.role };
  const others = { contactId, exceptRunId: 'another', by, startedUpTo: timestamp(after(now, minute)) };
  const asked = async () => (await tables.table.read(runsOfContactToEndKey(contactId, 'another')))?.data;
  expect(await endOthers(tables, others, { now, newId }, 2)).toBe(2);
  expect(await asked()).toEqual({ ...others, cursor: expect.any(String) });
  expect(await endOthers(tables, (await asked()) ?? others, { now, newId }, 2)).toBe(1);
  const ended = (await client.everyOfContact(contactId)).map(({ status }) => status);
  expect(ended).toEqual(Array(3).fill('cancelled'));
});
