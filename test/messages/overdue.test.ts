import { expect, test } from 'vitest';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveStream } from '../../shared/kernel/serve/serve-stream.ts';
import { day, second } from '../../shared/kernel/time.ts';
import { queuedMessageKey } from '../../shared/messages/queued-message.ts';
import { contactsClient } from '../contacts/client.ts';
import { conversationsClient, newConversation } from '../conversations/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { readRows } from '../seed/table.ts';
import { prepareOutgoing } from './outgoing.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;
const outgoing = await prepareOutgoing(product);

type Ids = Awaited<ReturnType<typeof newConversation>>;

/** What the stream tells when a message is taken off the queue, by whoever it was. */
async function tellRemoval({ contactId, messageId }: Ids): Promise<void> {
  const consumer = ofKind(await loadOperations(), 'stream').find(
    ({ name }) => name === 'fail-overdue-message',
  );
  if (consumer === undefined) {
    throw new Error('Nobody is told of messages that are queued no more');
  }
  const Keys = {
    pk: { S: `ORG#${rep.organizationId}#CONTACT#${contactId}` },
    sk: { S: `OUTGOING#${messageId}` },
  };
  const objects = await product.objects.provider('downloads');
  const served = { ...consumer, providers: { ...product.providers, objects } };
  const runtime = { ...systemRuntime, log: () => undefined };
  await serveStream([served], runtime)({ Records: [{ eventName: 'REMOVE', dynamodb: { Keys } }] });
}

/** Takes a message off the queue, as the table does when its time is over. */
async function expire({ messageId }: Ids): Promise<void> {
  const { table } = product.tableOf(rep.organizationId);
  await table.commit([table.delete(queuedMessageKey(messageId))]);
}

const statusOf = async ({ conversationId }: Ids) =>
  expectStatus(await conversationsClient(product, rep).messages(conversationId), 200).data[0].status;

test('A message that nobody could send is on the queue for a day', async () => {
  const { messageId } = await newConversation(tenants);
  const rows = await readRows(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', product.tableName);
  const queued = rows.find(({ sk }) => sk === `OUTGOING#${messageId}`);
  const left = Number(queued?.expiresAt) - Date.now() / second;
  expect(Math.abs(left - day / second)).toBeLessThan(60);
});

test('A message that nobody could send does not stay `queued` when its time is over: it has failed, and is not sent later', async () => {
  const ids = await newConversation(tenants);
  const told = (await outgoing.records(rep)).filter(({ dynamodb }) =>
    dynamodb?.Keys?.sk?.S?.includes(ids.messageId),
  );
  expect(told).toHaveLength(1);
  await expire(ids);
  await tellRemoval(ids);
  expect(await statusOf(ids)).toBe('failed');
  const { length } = product.sentMessages;
  await outgoing.tell(told);
  await tellRemoval(ids);
  expect(product.sentMessages).toHaveLength(length);
  expect(await statusOf(ids)).toBe('failed');
});

test('A message that nobody could send is none that was sent', async () => {
  const ids = await newConversation(tenants);
  await outgoing.tellAll(rep);
  await tellRemoval(ids);
  expect(await statusOf(ids)).toBe('sent');
});

test('A message that nobody could send is not missed when its contact is gone', async () => {
  const ids = await newConversation(tenants);
  expectStatus(await contactsClient(product, rep).remove(ids.contactId), 200);
  await expire(ids);
  await expect(tellRemoval(ids)).resolves.toBeUndefined();
});
