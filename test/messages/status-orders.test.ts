import { expect, test } from 'vitest';
import { setUpWorld } from '../harness/fixtures.ts';
import { randomness } from '../harness/randomness.ts';
import { sendableMessages } from './sendable-messages.ts';
import { statusClient } from './status-client.ts';
import { newWebhookClient } from './webhook-client.ts';

// "`twilio` itself as the client: signed voice, status and SMS posts, forms and JSON, in every order and twice."

const world = await setUpWorld();
const { product, admin, rep } = world;
const { sentMessage } = await sendableMessages(world);
const report = statusClient(product);
const secret = '0123456789abcdef0123456789abcdef';
await newWebhookClient(product, admin, rep, { secret, isDefault: true });

/** Every order of some items. */
function ordersOf<Item>(items: readonly Item[]): Item[][] {
  return items.length === 0
    ? [[]]
    : items.flatMap((first) =>
        ordersOf(items.filter((one) => one !== first)).map((rest) => [first, ...rest]),
      );
}

/** How far a status is: a message moves to a status that is further than its own. */
const distances = { sent: 1, delivered: 2, failed: 2, read: 3 };
type Status = keyof typeof distances;

test('The reports of a message, signed by Twilio, as forms and as JSON, in 24 orders and each twice, move it forward only', async () => {
  const random = randomness(11);
  const orders = ordersOf(Object.keys(distances) as Status[]);
  expect(orders).toHaveLength(24);
  for (const order of orders) {
    const { sid, query, moves } = await sentMessage();
    const expected: Status[] = ['sent'];
    for (const MessageStatus of [...order, ...order]) {
      const as = random.chance(0.5) ? 'form' : 'JSON';
      const where = random.chance(0.5) ? query : {};
      const fields = { MessageSid: sid, MessageStatus, ErrorCode: '30003' };
      expect((await report(fields, { secret, as, query: where })).status).toBe(200);
      if (distances[MessageStatus] > distances[expected.at(-1) ?? 'sent']) {
        expected.push(MessageStatus);
      }
    }
    expect(await moves()).toEqual(['queued', ...expected]);
  }
});
