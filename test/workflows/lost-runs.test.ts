import { expect, test } from 'vitest';
import { after, day } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange } from '../harness/tenants.ts';
import { inARow, prepareRuns } from './advancing.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;
const runs = await prepareRuns(tenants);
const stream = await tableStream(product);
const queue = product.queues.workflowRuns;

const queued = () => queue.take().map(({ body }) => JSON.parse(body).runId as string);

test('A run that was given up on its way to the queue, or in it, goes on two days later; what waits or has ended does not', async () => {
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
