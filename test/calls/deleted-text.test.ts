import { afterAll, expect, test } from 'vitest';
import { eventsOf } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { arrange, newPhoneNumber, statusesOf } from '../harness/world.ts';
import { expectConsistent } from './consistency.ts';
import { newTextingOrganization } from './missed-call-client.ts';

const product = await setUpProduct();
const { admin, missed, read, texts } = await newTextingOrganization(product);
afterAll(() => expectConsistent(product, admin));
const remove = (id = '') => product.call('delete-message', { token: admin.token, path: { id } });
const deleted = { outcome: 'skipped', reason: 'deleted' };

test('A missed call whose text is deleted before it is sent says so, in its lists and by an event, too', async () => {
  const { _id, missedCall } = await missed(newPhoneNumber());
  expect(missedCall).toMatchObject({ outcome: 'sent', messageId: expect.any(String) });
  await arrange(remove(missedCall?.messageId));
  expect((await read(_id)).missedCall).toEqual(deleted);
  const { data } = await arrange(product.call('list-calls', { token: admin.token }));
  expect(data.find((call: { _id: string }) => call._id === _id).missedCall).toEqual(deleted);
  const told = (await eventsOf(product, admin.organizationId)).filter((event) => event.data.callId === _id);
  expect(told.at(-1)).toMatchObject({ event: 'call_updated', data: { call: { missedCall: deleted } } });
});

test('A missed call whose text is deleted does not keep the next one from getting a text', async () => {
  const from = newPhoneNumber();
  const first = await missed(from);
  expect((await missed(from)).missedCall).toMatchObject({ reason: 'cooldown' });
  await arrange(remove(first.missedCall?.messageId));
  expect((await missed(from)).missedCall).toMatchObject({ outcome: 'sent' });
});

test('A missed call whose text ten people delete at once emits it once', async () => {
  const { _id, missedCall } = await missed(newPhoneNumber());
  const responses = await Promise.all(Array.from({ length: 10 }, () => remove(missedCall?.messageId)));
  expect(statusesOf(responses)).toEqual({ 200: 1, 404: 9 });
  const told = (await eventsOf(product, admin.organizationId)).filter((event) => event.data.callId === _id);
  expect(told.filter(({ event }) => event === 'call_updated')).toHaveLength(1);
  expect((await texts()).filter((text) => text._id === missedCall?.messageId)).toEqual([]);
});
