import { expect, test } from 'vitest';
import { after, day, minute, timestamp } from '../../shared/kernel/time.ts';
import { clockOf } from '../harness/clock.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { inARow, runsOf } from './advancing.ts';
import { runsClient } from './runs-client.ts';

const world = await setUpWorld();
const { product, rep } = world;
const runs = await runsOf(world);
const clock = clockOf(product);
const stream = await tableStream(product);
const client = runsClient(product, rep);

const notesOf = async (contactId: string) =>
  (await product.call('list-notes', { token: rep.token, query: { contactId } })).body.data;

test('A run adds tags, waits a day and writes a note, each once, and tells what it did', async () => {
  const { _id: contactId } = await world.newContact({ firstName: 'Ada' });
  const workflow = await runs.newWorkflow(
    inARow([
      { type: 'addTags', data: { tags: ['new'] } },
      { type: 'delay', data: { value: 1, unit: 'days' } },
      { type: 'addNote', data: { note: 'Call {{firstName}}' } },
    ]),
  );
  const start = new Date();
  const runId = await runs.start(workflow, contactId, { at: start });
  await stream.settle();
  await runs.deliverAll(start);

  const until = timestamp(after(start, day));
  const waiting = (await client.read(runId)).body.data;
  expect(waiting).toMatchObject({
    status: 'waiting',
    steps: [
      { nodeId: 'trigger', status: 'passed' },
      { nodeId: 'n1', status: 'passed' },
      { nodeId: 'n2', status: 'waiting', until },
    ],
  });
  const contact = await product.call('read-contact', { token: rep.token, path: { id: contactId } });
  expect(contact.body.data?.tags ?? contact.body.tags).toEqual(['new']);
  expect(await notesOf(contactId)).toEqual([]);

  const later = after(start, day + minute);
  expect(await clock.run(later)).toMatchObject({ woken: 1 });
  expect(await clock.run(later)).not.toHaveProperty('woken');
  await stream.settle();
  await runs.deliverAll(later);
  const [note, ...others] = await notesOf(contactId);
  expect(others).toEqual([]);
  expect(note.note).toBe('Call Ada');
  expect((await client.read(runId)).body.data).toMatchObject({
    status: 'finished',
    steps: [
      ...[{ nodeId: 'trigger' }, { nodeId: 'n1' }, { nodeId: 'n2' }],
      { nodeId: 'n2', status: 'passed' },
      { nodeId: 'n3', status: 'passed', noteId: note._id },
    ],
    finishedAt: timestamp(later),
  });
  expect(await clock.waitingUntil(after(start, 400 * day))).toEqual([]);
});
