import { afterEach, expect, test } from 'vitest';
import { type CallRecord, callsClient } from '../calls/client.ts';
import { expectConsistent } from '../calls/consistency.ts';
import { contactsClient } from '../contacts/client.ts';
import type { Fault } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpWorld } from '../harness/fixtures.ts';
import { expectStatus, newPhoneNumber } from '../harness/world.ts';
import { conversationsClient } from './client.ts';

const { product, admin, rep, stranger } = await setUpWorld();
const conversations = conversationsClient(product, admin);
const table = setUpFaultyTable();
afterEach(() => table.clear());

/** A contact with a call, and so with a voice conversation. */
async function newInvocation(): Promise<CallRecord> {
  return callsClient(product, admin).answered(newPhoneNumber());
}

/** Lets the next request that reads a contact with its conversations find them first, and the contact only after `act`. */
function overtake(act: () => Promise<unknown>): void {
  const listed = Promise.withResolvers<void>();
  let lists = 0;
  const list: Fault = async (next) => {
    const page = await next();
    lists += 1;
    if (lists === 2) {
      listed.resolve();
    }
    return page;
  };
  let isOver = false;
  table.next('QueryCommand', list, list);
  table.always('GetItemCommand', async (next) => {
    const { Key } = table.tries('GetItemCommand').at(-1) as { Key: { sk: { S: string } } };
    if (Key.sk.S === 'CONTACT' && !isOver) {
      isOver = true;
      await listed.promise;
      await act();
    }
    return next();
  });
}

test('Reads that a change overtakes half way lose no assignee of another conversation of the contact', async () => {
  const { contactId, conversationId: voice } = await newInvocation();
  const sms = expectStatus(await conversations.send({ contactId, content: 'Hello' }), 201).data
    .conversationId;
  expectStatus(await conversations.update(voice, { assignees: [rep.userId] }), 200);

  overtake(async () => {
    expectStatus(await conversations.update(voice, { assignees: [stranger.userId] }), 200);
  });
  expectStatus(await conversations.update(sms, { isResolved: true }), 200);

  const boardOf = async (userId: string) =>
    (await contactsClient(product, admin).everything({ assignee: [userId] })).map(({ _id }) => _id);
  expect((await conversations.read(voice)).body.data.assignees).toEqual([stranger.userId]);
  expect(await boardOf(stranger.userId)).toContain(contactId);
  expect(await boardOf(rep.userId)).not.toContain(contactId);
});

test('Reads that a change overtakes half way leave the contact with one SMS conversation when the voice conversation made way for it', async () => {
  const { _id, contactId } = await newInvocation();
  overtake(async () => {
    expectStatus(await callsClient(product, admin).discard(_id), 200);
    expectStatus(await conversations.send({ contactId, content: 'One' }), 201);
  });
  const sent = expectStatus(await conversations.send({ contactId, content: 'Two' }), 201).data;
  expect(await conversations.ids({ contactId })).toEqual([sent.conversationId]);
  expect((await conversations.messages(sent.conversationId)).body.data).toHaveLength(2);
  await expectConsistent(product, admin);
});
