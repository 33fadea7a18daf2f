import { afterEach, expect, test } from 'vitest';
import { readPositionKey } from '../../shared/conversations/read-position.ts';
import { type CallRecord, callsClient } from '../calls/client.ts';
import { expectConsistent } from '../calls/consistency.ts';
import { everyTurns, interleaved } from '../calls/interleaved.ts';
import { contactsClient } from '../contacts/client.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { conversationsClient } from './client.ts';

const { product, admin, rep, otherRep } = await setUpTenants();
const conversations = conversationsClient(product, admin);
const table = setUpFaultyTable();
afterEach(() => table.clear());

/** A contact with a call, and so with a voice conversation. */
async function newInvocation(): Promise<CallRecord> {
  return callsClient(product, admin).answered(newPhoneNumber());
}

interface Page {
  readonly output: { readonly Items: readonly Readonly<Record<string, string>>[] };
}

/**
 * Lets the next request that reads a contact with its conversations find them first, and the contact only after `act`: a query is not
 * isolated from transactions.
 */
function overtake(act: () => Promise<unknown>): void {
  let isOver = false;
  table.always('QueryCommand', async (next) => {
    const page = (await next()) as Page;
    const isOf = (kind: string) => page.output.Items.some(({ sk }) => sk?.startsWith(kind));
    if (isOver || !isOf('CONTACT') || !isOf('CONVERSATION#')) {
      return page;
    }
    isOver = true;
    await act();
    const { output } = (await next()) as Page;
    const contact = output.Items.find(({ sk }) => sk === 'CONTACT');
    const Items = page.output.Items.map((item) => (item.sk === 'CONTACT' ? contact : item));
    return { ...page, output: { ...page.output, Items: Items.filter((item) => item !== undefined) } };
  });
}

test('Reads that a change overtakes half way lose no assignee of another conversation of the contact', async () => {
  const { contactId, conversationId: voice } = await newInvocation();
  const sms = expectStatus(await conversations.send({ contactId, content: 'Hello' }), 201).data
    .conversationId;
  expectStatus(await conversations.update(voice, { assignees: [rep.userId] }), 200);

  overtake(async () => {
    expectStatus(await conversations.update(voice, { assignees: [otherRep.userId] }), 200);
  });
  expectStatus(await conversations.update(sms, { isResolved: true }), 200);

  const boardOf = async (userId: string) =>
    (await contactsClient(product, admin).everything({ assignee: [userId] })).map(({ _id }) => _id);
  expect((await conversations.read(voice)).body.data.assignees).toEqual([otherRep.userId]);
  expect(await boardOf(otherRep.userId)).toContain(contactId);
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

const schedules = everyTurns([1, 3, 5, 7]);

const webhook = await newWebhookClient(product, admin, rep);
const own = conversationsClient(product, rep);
const { data } = await arrange(webhook.text({ From: newPhoneNumber() }));
/** A conversation with a message that came in; in each interleaving, there is an answer to it. */
const { contactId, conversationId, messageId: received } = data;
const { table: records } = product.tableOf(admin.organizationId);
const position = readPositionKey(rep.userId, conversationId);

/** An answer that is on its way. */
const newAnswer = async (): Promise<string> =>
  (await arrange(own.send({ contactId, content: 'Hello' }))).data._id;

const readUpTo = async () => (await arrange(own.read(conversationId))).data.readUpTo;

test.each([
  ['never before', false],
  ['before', true],
])(
  'Nobody has read up to a message that is deleted while they read, who had read the conversation %s',
  async (_, hasRead) => {
    const outcomes = new Set<number>();
    if (hasRead) {
      await arrange(own.markRead(conversationId, received));
    }
    for (const isNamed of [false, true]) {
      for (const schedule of schedules) {
        if (!hasRead) {
          await records.deleteMany([position]);
        }
        const answer = await newAnswer();
        const [deleted, read] = await interleaved(table, schedule, [
          () => product.call('delete-message', { token: rep.token, path: { id: answer } }),
          () => own.markRead(conversationId, isNamed ? answer : undefined),
        ]);
        expect(deleted.status).toBe(200);
        // A message that is gone leaves nothing to read up to.
        expect(isNamed ? [200, 404] : [200]).toContain(read.status);
        outcomes.add(read.body.data?.readUpTo === answer ? 1 : 0);
        const left = read.status === 200 || hasRead ? received : null;
        expect(await readUpTo()).toBe(left);
      }
    }
    // Both ways: read before it was deleted, and after.
    expect([...outcomes].sort()).toEqual([0, 1]);
  },
);
