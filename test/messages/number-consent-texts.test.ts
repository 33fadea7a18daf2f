import { beforeEach, expect, test } from 'vitest';
import { refused as refusedWith } from '../../shared/kernel/providers/sms-outcomes.ts';
import { after, hour, minute } from '../../shared/kernel/time.ts';
import { clockOf } from '../harness/clock.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/world.ts';
import { organizationsClient } from '../organizations/client.ts';
import { numbersOf, refused, stopped } from './number-consent-world.ts';
import { outgoingOf } from './outgoing.ts';
import { failedMessage } from './reported-message.ts';

const world = await setUpWorld();
const { product, rep } = world;
const numbers = await numbersOf(world);
const outgoing = await outgoingOf(product);
beforeEach(() => product.queues.outgoingTexts.take());

test('A text that waits to be sent is not, once the contact that now has its number says STOP', async () => {
  const number = newPhoneNumber();
  const former = await numbers.having(number);
  const message = expectStatus(await numbers.send(former), 201).data;
  await numbers.setNumbers(former, newPhoneNumber());
  await numbers.having(number);
  await numbers.text(number, 'STOP');
  await outgoing.tellAll(rep);
  expect(product.sentMessages.filter(({ to }) => to === number)).toEqual([]);
  const { data } = (await numbers.conversations.messages(message.conversationId)).body;
  expect(data).toMatchObject([{ status: 'failed', failure: { code: 'OPTED_OUT' } }]);
  expect(data[0]).not.toHaveProperty('to');
});

test('A text that waits to be sent is not, if its number has said STOP and no contact has it', async () => {
  const { number, id } = await stopped(numbers);
  await numbers.text(number, 'START');
  await numbers.send(id);
  await numbers.text(number, 'STOP');
  await numbers.setNumbers(id, newPhoneNumber());
  await outgoing.tellAll(rep);
  expect(product.sentMessages.filter(({ to }) => to === number)).toEqual([]);
});

test('A text that waits to be sent goes to a number that its contact has lost and that wants texts', async () => {
  const number = newPhoneNumber();
  const id = await numbers.having(number);
  await numbers.send(id);
  await numbers.setNumbers(id, newPhoneNumber());
  await outgoing.tellAll(rep);
  expect(product.sentMessages.filter(({ to }) => to === number)).toHaveLength(1);
});

test('A text that is scheduled before its contact gets a number that said STOP is not sent', async () => {
  const { number, id } = await stopped(numbers);
  const other = await numbers.having(newPhoneNumber());
  const sendAt = after(new Date(), 10 * 24 * hour);
  const scheduled = { contactId: other, content: 'Later', sendAt: sendAt.toISOString() };
  const { data } = expectStatus(await numbers.conversations.send(scheduled), 201);
  await numbers.setNumbers(id);
  await numbers.setNumbers(other, number);
  await clockOf(product).run(after(sendAt, minute));
  const { data: messages } = (await numbers.conversations.messages(data.conversationId)).body;
  expect(messages).toMatchObject([{ status: 'failed', failure: { code: 'OPTED_OUT' } }]);
});

test('A text that failed is not sent again to a number that said STOP to another contact', async () => {
  const { number, id } = await stopped(numbers);
  const { contactId, messageId } = await failedMessage(world);
  await numbers.setNumbers(id);
  await numbers.setNumbers(contactId, number);
  const retry = () => product.call('retry-message', { token: rep.token, path: { id: messageId } });
  expect((await retry()).status).toBe(409);
  await numbers.text(number, 'START');
  expect((await retry()).status).toBe(201);
});

/** A provider that refuses all: the recipient has opted out of messages from the sender. Source: Twilio, error 21610. */
const sendRefused = async () =>
  outgoing.tell(await outgoing.records(rep), {
    providers: { ...product.providers, sms: () => ({ send: async () => refusedWith(21610) }) },
  });

test('What the provider says by refusing a text stays with the number that the text was for', async () => {
  const [first, second] = [newPhoneNumber(), newPhoneNumber()];
  const id = await numbers.having(first, second);
  await numbers.text(second, 'Hello');
  // To the number that wrote last.
  await numbers.send(id);
  await sendRefused();
  expect((await numbers.consent(id)).sms).toBe('in');
  await numbers.setNumbers(id, first);
  const other = await numbers.having(second);
  expect(await numbers.consent(other)).toMatchObject({ sms: 'out', source: 'provider' });
  expect(await numbers.texts(other, second)).toEqual(refused);
});

test('What the provider says by refusing a text is not about the number that the contact has by now', async () => {
  const id = await numbers.having(newPhoneNumber());
  await numbers.send(id);
  await numbers.setNumbers(id, newPhoneNumber());
  await sendRefused();
  expect((await numbers.consent(id)).sms).toBe('in');
  expect((await numbers.send(id)).status).toBe(201);
});

test('The preview of a missed call knows what a number has said that no contact has any more', async () => {
  const { number, id } = await stopped(numbers);
  await numbers.remove(id);
  const preview = { callerNumber: number, at: new Date().toISOString() };
  const { data } = await arrange(organizationsClient(product, world.admin)('preview-missed-call', preview));
  expect(data).toMatchObject({ outcome: 'skipped', reason: 'opted_out' });
});
