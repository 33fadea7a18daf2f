import { expect, test } from 'vitest';
import { readPositionKey } from '../../shared/conversations/read-position.ts';
import { inTurns, interleaved, type Schedule } from '../calls/interleaved.ts';
import { setUpFaultyTable, setUpWorld } from '../harness/fixtures.ts';
import { arrange, newPhoneNumber } from '../harness/world.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { conversationsClient } from './client.ts';

const table = setUpFaultyTable();
const { product, admin, rep } = await setUpWorld();
const webhook = await newWebhookClient(product, admin, rep);
const conversations = conversationsClient(product, rep);

/** Either is stopped before each of its requests, while the other sends some or all of its own. */
const stops = [0, 1, 3, 5, 7, 9];
const schedules: Schedule[] = ([0, 1] as const).flatMap((first) =>
  stops.flatMap((some) => stops.map((others) => inTurns(first, some, others))),
);

const { data } = await arrange(webhook.text({ From: newPhoneNumber() }));
/** A conversation with a message that came in; in each interleaving, there is an answer to it. */
const { contactId, conversationId, messageId: received } = data;
const { table: records } = product.tableOf(admin.organizationId);
const position = readPositionKey(contactId, rep.userId, conversationId);

/** An answer that is on its way. */
const newAnswer = async (): Promise<string> =>
  (await arrange(conversations.send({ contactId, content: 'Hello' }))).data._id;

const readUpTo = async () => (await arrange(conversations.read(conversationId))).data.readUpTo;

test.each([
  ['never before', false],
  ['before', true],
])(
  'Nobody has read up to a message that is deleted while they read, who had read the conversation %s',
  async (_, hasRead) => {
    const outcomes = new Set<number>();
    if (hasRead) {
      await arrange(conversations.markRead(conversationId, received));
    }
    for (const isNamed of [false, true]) {
      for (const schedule of schedules) {
        if (!hasRead) {
          await records.deleteMany([position]);
        }
        const answer = await newAnswer();
        const [deleted, read] = await interleaved(table, schedule, [
          () => product.call('delete-message', { token: rep.token, path: { id: answer } }),
          () => conversations.markRead(conversationId, isNamed ? answer : undefined),
        ]);
        expect(deleted.status).toBe(200);
        // Of a message that is gone, there is nothing to read up to.
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
