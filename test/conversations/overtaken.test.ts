import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CallRecord, callsClient } from '../calls/client.ts';
import { expectConsistent } from '../calls/consistency.ts';
import { contactsClient } from '../contacts/client.ts';
import { type Fault, type FaultyTable, faultyTable } from '../contacts/faulty-table.ts';
import { expectStatus, newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { type ConversationsClient, conversationsClient } from './client.ts';

let world: World;
let table: FaultyTable;
let conversations: ConversationsClient;
beforeAll(async () => {
  world = await startWorld();
  conversations = conversationsClient(world.product, world.admin);
  table = faultyTable();
});
afterEach(() => table.clear());
afterAll(async () => {
  table.restore();
  await world.product.stop();
});

/** A contact with a call, and so with a voice conversation. */
async function newInvocation(): Promise<CallRecord> {
  return callsClient(world.product, world.admin).answered(newPhoneNumber());
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

describe('Reads that a change overtakes half way', () => {
  it('lose no assignee of another conversation of the contact', async () => {
    const { admin, rep, stranger, product } = world;
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

  it('leave the contact with one SMS conversation when the voice conversation made way for it', async () => {
    const { admin, product } = world;
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
});
