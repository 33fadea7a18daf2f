import { expect, test } from 'vitest';
import { failuresInARow } from '../../functions/workflows/model/runs/failures.ts';
import { after, day, minute } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange } from '../harness/tenants.ts';
import { inARow, prepareRuns } from './advancing.ts';
import { runsClient } from './runs-client.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;
const runs = await prepareRuns(tenants);
const stream = await tableStream(product);
const client = runsClient(product, rep);

const failing = inARow([{ type: 'addNote', data: { note: '{{contact.source}}' } }]);

/** A run for a contact with this source; without one, the note has no text. */
async function runTo(workflow: Awaited<ReturnType<typeof runs.newWorkflow>>, source: string | null) {
  const { _id } = await tenants.newContact({ source });
  const runId = await runs.start(workflow, _id);
  await runs.advance(runId);
  return runId;
}

async function failureNotifications() {
  await stream.settle();
  const { data } = await arrange(product.call('list-notifications', { token: rep.token }));
  return data.filter(({ type }: { type: string }) => type === 'workflow_failed');
}

test('A step that the owner could not do by hand fails its run, with the reason in words, and a retry goes on with it', async () => {
  const workflow = await runs.newWorkflow(failing);
  const { _id: contactId } = await tenants.newContact({ source: null });
  const runId = await runs.start(workflow, contactId);
  await runs.advance(runId);
  const failed = (await client.read(runId)).body.data;
  const { reason } = failed;
  expect(reason).toMatch(/note/i);
  expect(failed).toMatchObject({ status: 'failed', steps: [{}, { status: 'failed', reason }] });

  await arrange(
    product.call('update-contact', {
      token: rep.token,
      path: { id: contactId },
      body: { source: 'Fair' },
    }),
  );
  await arrange(product.call('retry-workflow-run', { token: rep.token, path: { id: runId } }));
  await stream.settle();
  await runs.deliverAll();
  const retried = (await client.read(runId)).body.data;
  expect(retried).toMatchObject({ status: 'finished', steps: [{}, {}, { nodeId: 'n1', status: 'passed' }] });
  expect(retried).not.toHaveProperty('reason');
});

test(`The owner is notified once when ${failuresInARow} runs have failed in a row, again only after a run has finished, and has none of these notifications left once the workflow is deleted`, async () => {
  const workflow = await runs.newWorkflow(failing);
  for (let failures = 1; failures < failuresInARow; failures += 1) {
    await runTo(workflow, null);
  }
  expect(await failureNotifications()).toEqual([]);
  await Promise.all([runTo(workflow, null), runTo(workflow, null), runTo(workflow, null)]);
  const [notification, ...others] = await failureNotifications();
  expect(others).toEqual([]);
  expect(notification).toMatchObject({
    workflowId: workflow._id,
    title: `${failuresInARow} runs in a row have failed: ${workflow.name}`,
  });
  const read = { token: rep.token, path: { id: workflow._id } };
  expect((await arrange(product.call('read-workflow', read))).data.enabled).toBe(true);

  await runTo(workflow, 'Fair');
  for (let failures = 1; failures < failuresInARow; failures += 1) {
    await runTo(workflow, null);
  }
  expect(await failureNotifications()).toHaveLength(1);
  await runTo(workflow, null);
  expect(await failureNotifications()).toHaveLength(2);

  await arrange(product.call('delete-workflow', read));
  expect(await failureNotifications()).toEqual([]);
});

test('A run whose message is lost again and again, because its step ends the process, is given up and holds up no other', async () => {
  const workflow = await runs.newWorkflow(inARow([{ type: 'addTags', data: { tags: ['new'] } }]));
  const { _id: contactId } = await tenants.newContact();
  const runId = await runs.start(workflow, contactId);
  const queue = product.queues.workflowRuns;
  queue.take();
  let body = JSON.stringify({ organizationId: rep.organizationId, runId, tries: 0 });
  // Each time it is delivered for the fifth time, it goes on later, and apart from those that it came with.
  for (let crashes = 1; crashes <= 2; crashes += 1) {
    await runs.lose(body, 5);
    const [again, ...others] = queue.take();
    expect(others).toEqual([]);
    expect(again?.delay).toBeGreaterThanOrEqual(minute);
    expect(again?.delay).toBeLessThan(15 * minute);
    expect((await runs.run(runId))?.status).toBe('running');
    body = again?.body ?? '';
  }
  await runs.lose(body, 5);
  expect(queue.take()).toEqual([]);
  const reason = 'The next step took too long or needed too much memory each time it was tried.';
  expect((await client.read(runId)).body.data).toMatchObject({ status: 'failed', reason });
  await arrange(product.call('retry-workflow-run', { token: rep.token, path: { id: runId } }));
  await runs.advance(runId);
  expect((await runs.run(runId))?.status).toBe('finished');
});

test('A run that was lost with others, and is not to blame, goes on', async () => {
  const workflow = await runs.newWorkflow(inARow([{ type: 'addTags', data: { tags: ['new'] } }]));
  const { _id: contactId } = await tenants.newContact();
  const runId = await runs.start(workflow, contactId);
  const queue = product.queues.workflowRuns;
  queue.take();
  await runs.lose(JSON.stringify({ organizationId: rep.organizationId, runId, tries: 0 }), 5);
  const [again] = queue.take();
  await runs.lose(again?.body ?? '', 1);
  expect((await runs.run(runId))?.status).toBe('finished');
});

test('A run is not given up for a message that was lost on the way to a step that it has taken since', async () => {
  const workflow = await runs.newWorkflow(inARow([{ type: 'delay', data: { value: 1, unit: 'days' } }]));
  const { _id: contactId } = await tenants.newContact();
  const runId = await runs.start(workflow, contactId);
  await runs.advance(runId);
  const queue = product.queues.workflowRuns;
  queue.take();
  await runs.lose(JSON.stringify({ organizationId: rep.organizationId, runId, tries: 0, losses: 2 }), 5);
  expect((await runs.run(runId))?.status).toBe('waiting');
});

test('A run and its steps can be read for 90 days after its end, and are gone then', async () => {
  const workflow = await runs.newWorkflow(inARow([{ type: 'addTags', data: { tags: ['new'] } }]));
  const { _id: contactId } = await tenants.newContact();
  const start = new Date();
  const runId = await runs.start(workflow, contactId, { at: start });
  await runs.advance(runId, start);
  await stream.expire(after(start, 90 * day - minute));
  expect((await client.read(runId)).body.data.steps).toHaveLength(2);
  await stream.expire(after(start, 90 * day + minute));
  expect((await client.read(runId)).status).toBe(404);
  expect((await client.ofWorkflow(workflow._id)).body.data).toEqual([]);
  const rows = await runs.table.list({ partition: ['CONTACT', contactId] });
  expect(rows.map(({ key }) => key.sort[0]).sort()).toEqual(['CONTACT', 'ENROLMENT']);
});

const queued = () => product.queues.workflowRuns.take().map(({ body }) => JSON.parse(body).runId as string);

test('A run that was given up on its way to the queue, or in it, goes on two days later; what waits or has ended does not', async () => {
  queued();
  const noting = await runs.newWorkflow(inARow([{ type: 'addNote', data: { note: 'Call' } }]));
  const waiting = await runs.newWorkflow(inARow([{ type: 'delay', data: { value: 9, unit: 'days' } }]));
  const contacts = await Promise.all(Array.from({ length: 4 }, () => tenants.newContact()));
  const [lost, ended, pausing, gone] = await Promise.all(
    contacts.map(({ _id }, index) => runs.start(index === 2 ? waiting : noting, _id)),
  );
  await stream.settle();
  // The messages are lost; two runs went on before.
  expect(queued().sort()).toEqual([lost, ended, pausing, gone].sort());
  await runs.advance(ended ?? '');
  await runs.advance(pausing ?? '');
  const path = { id: contacts[3]?._id ?? '' };
  await arrange(product.call('delete-contact', { token: rep.token, path }));
  await stream.settle();
  expect(queued()).toEqual([]);

  await stream.expire(after(new Date(), 2 * day));
  expect(queued()).toEqual([lost]);
  await runs.advance(lost ?? '');
  expect(await runs.run(lost ?? '')).toMatchObject({ status: 'finished' });
  // What is lost again is found again.
  await stream.expire(after(new Date(), 2 * day));
  expect(queued()).toEqual([]);
});
