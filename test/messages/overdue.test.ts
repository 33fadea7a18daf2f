import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queuedMessageKey } from '../../functions/messages/model/queued-message.ts';
import { ofKind, operations } from '../../infra/registry.ts';
import { systemRuntime } from '../../shared/kernel/invocation.ts';
import { serveStream } from '../../shared/kernel/serve-stream.ts';
import { day, second } from '../../shared/kernel/time.ts';
import { deskOf } from '../contacts/desk.ts';
import { inboxOf, newConversation } from '../conversations/conversations.ts';
import { expectStatus, startWorld, type World } from '../harness/world.ts';
import { rowsOf } from '../seed/table.ts';
import { type Outgoing, outgoingOf } from './outgoing.ts';

let world: World;
let outgoing: Outgoing;
beforeAll(async () => {
  world = await startWorld();
  outgoing = await outgoingOf(world.product);
});
afterAll(() => world.product.stop());

type Ids = Awaited<ReturnType<typeof newConversation>>;

/** What the stream tells when a message is taken off the queue, by whoever it was. */
async function tellRemoval({ contactId, messageId }: Ids): Promise<void> {
  const consumer = ofKind(await operations(), 'stream').find(({ name }) => name === 'fail-overdue-message');
  if (consumer === undefined) {
    throw new Error('Nobody is told of messages that are queued no more');
  }
  const Keys = {
    pk: { S: `ORG#${world.rep.organizationId}#CONTACT#${contactId}` },
    sk: { S: `OUTGOING#${messageId}` },
  };
  const served = { ...consumer, providers: world.product.providers };
  const runtime = { ...systemRuntime, log: () => undefined };
  await serveStream([served], runtime)({ Records: [{ eventName: 'REMOVE', dynamodb: { Keys } }] });
}

/** Takes a message off the queue, as the table does when its time is over. */
async function expire({ contactId, messageId }: Ids): Promise<void> {
  const { table } = world.product.tableOf(world.rep.organizationId);
  await table.commit([table.delete(queuedMessageKey(contactId, messageId))]);
}

const statusOf = async ({ conversationId }: Ids) =>
  expectStatus(await inboxOf(world.product, world.rep).messages(conversationId), 200).data[0].status;

describe('A message that nobody could send', () => {
  it('is on the queue for a day', async () => {
    const { messageId } = await newConversation(world);
    const rows = await rowsOf(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', world.product.tableName);
    const queued = rows.find(({ sk }) => sk === `OUTGOING#${messageId}`);
    const left = Number(queued?.expiresAt) - Date.now() / second;
    expect(Math.abs(left - day / second)).toBeLessThan(60);
  });

  it('does not stay `queued` when its time is over: it has failed, and is not sent later', async () => {
    const ids = await newConversation(world);
    const told = (await outgoing.records(world.rep)).filter(({ dynamodb }) =>
      dynamodb?.Keys?.sk?.S?.includes(ids.messageId),
    );
    expect(told).toHaveLength(1);
    await expire(ids);
    await tellRemoval(ids);
    expect(await statusOf(ids)).toBe('failed');
    const { length } = world.product.sentMessages;
    await outgoing.tell(told);
    await tellRemoval(ids);
    expect(world.product.sentMessages).toHaveLength(length);
    expect(await statusOf(ids)).toBe('failed');
  });

  it('is none that was sent', async () => {
    const ids = await newConversation(world);
    await outgoing.tellAll(world.rep);
    await tellRemoval(ids);
    expect(await statusOf(ids)).toBe('sent');
  });

  it('is not missed when its contact is gone', async () => {
    const ids = await newConversation(world);
    expectStatus(await deskOf(world.product, world.rep).remove(ids.contactId), 200);
    await expire(ids);
    await expect(tellRemoval(ids)).resolves.toBeUndefined();
  });
});
