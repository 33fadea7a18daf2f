import { expect, test } from 'vitest';
import { setUpWorld } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, newPhoneNumber } from '../harness/world.ts';
import { emptyResponse, form, newSid } from './webhook-client.ts';

const { product, admin, rep, foreigner, foreignRep } = await setUpWorld();
const stream = await tableStream(product);

const minute = 60_000;
const day = 24 * 60 * minute;

const tell = (fields: Record<string, unknown>, at?: Date) =>
  product.call('receive-sms', {
    path: { provider: 'smsprovider' },
    body: { MessageSid: newSid(), Body: 'Hello', ...fields },
    at,
  });

async function assign(phoneNumber: string, more: Record<string, unknown> = {}) {
  await arrange(
    product.call('assign-phone-number', {
      token: admin.token,
      path: { organizationId: admin.organizationId },
      body: { userId: rep.userId, provider: 'twilio', phoneNumber, ...more },
    }),
  );
  await stream.settle();
}

/** The messages of a sender, as the user whose number it is reads them; the newest first. */
async function received(from: string): Promise<{ content: string; createdAt: string }[]> {
  const { token } = rep;
  const { data } = await arrange(product.call('list-conversations', { token, query: { limit: '100' } }));
  for (const { _id, contactId } of data) {
    const contact = await arrange(product.call('read-contact', { token, path: { id: contactId } }));
    if (JSON.stringify(contact.data).includes(from)) {
      return (await arrange(product.call('list-messages', { token, path: { id: _id } }))).data;
    }
  }
  return [];
}

const contents = async (from: string) => (await received(from)).map(({ content }) => content);

test('A text message to a number that nobody has is acknowledged, and delivered once the number is assigned, as of when it came', async () => {
  const [From, To] = [newPhoneNumber(), newPhoneNumber()];
  const [first, second] = [new Date(Date.now() - 2 * minute), new Date(Date.now() - minute)];
  const { status, body } = await tell({ From, To, Body: 'One' }, first);
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      success: true,
      message:
        'Nobody has the number in To. The message is kept for 30 days, and delivered if the number is assigned.',
      data: { messageId: null, conversationId: null, contactId: null, duplicate: false },
    },
  });
  await arrange(tell({ From, To, Body: 'Two' }, second));
  expect(await received(From)).toEqual([]);
  await assign(To);
  expect(await received(From)).toMatchObject([
    { content: 'Two', createdAt: second.toISOString() },
    { content: 'One', createdAt: first.toISOString() },
  ]);
  expect((await stream.texts()).filter((text) => /^pk: PLATFORM#UNCLAIMED/.test(text))).toEqual([]);
});

test('A form to a number that nobody has gets an empty XML `Response`', async () => {
  const fields = { MessageSid: newSid(), From: newPhoneNumber(), To: newPhoneNumber(), Body: 'Hello' };
  const answer = await product.call('receive-sms', {
    path: { provider: 'smsprovider' },
    body: new URLSearchParams(fields).toString(),
    headers: form,
  });
  expect(answer).toMatchObject({ status: 200, body: emptyResponse });
});

test('A text message to nobody that the provider repeats is delivered once, also when it is repeated afterwards', async () => {
  const [From, To, MessageSid] = [newPhoneNumber(), newPhoneNumber(), newSid()];
  for (const at of [new Date(Date.now() - minute), new Date()]) {
    await arrange(tell({ From, To, MessageSid }, at));
  }
  await assign(To);
  expect(await contents(From)).toEqual(['Hello']);
  expect((await arrange(tell({ From, To, MessageSid }))).data).toMatchObject({ duplicate: true });
  expect(await contents(From)).toEqual(['Hello']);
});

test('A text message to nobody is kept for 30 days', async () => {
  const [From, To] = [newPhoneNumber(), newPhoneNumber()];
  await arrange(tell({ From, To, Body: 'Old' }, new Date(Date.now() - 30 * day - minute)));
  await arrange(tell({ From, To, Body: 'Late' }, new Date(Date.now() - 30 * day + minute)));
  await stream.expire(new Date());
  await assign(To);
  expect(await contents(From)).toEqual(['Late']);
});

test('An unsigned text message to nobody is not delivered to a number with a secret', async () => {
  const [From, To] = [newPhoneNumber(), newPhoneNumber()];
  await arrange(tell({ From, To, Body: 'Forged' }));
  await assign(To, { secret: 'shared secret' });
  expect(await contents(From)).toEqual([]);
  expect((await stream.texts()).filter((text) => text.includes(To) && text.includes('Forged'))).toEqual([]);
});

test('A text message to nobody waits while the organization that gets the number has no Contact pipeline', async () => {
  const [From, To] = [newPhoneNumber(), newPhoneNumber()];
  await arrange(tell({ From, To, Body: 'Patient' }));
  const { token, organizationId } = foreigner;
  const { data } = await arrange(product.call('list-pipelines', { token, query: { type: 'Contact' } }));
  for (const { _id } of data) {
    await arrange(product.call('delete-pipeline', { token, path: { id: _id } }));
  }
  const body = { userId: foreignRep.userId, provider: 'twilio', phoneNumber: To };
  await arrange(product.call('assign-phone-number', { token, path: { organizationId }, body }));
  await stream.settle();
  expect((await stream.texts()).filter((text) => text.includes('Patient'))).toHaveLength(1);
});

test('A START that waited for its number does not opt back in who has opted out since', async () => {
  const [From, other, To] = [newPhoneNumber(), newPhoneNumber(), newPhoneNumber()];
  await assign(other);
  const ago = (minutes: number) => new Date(Date.now() - minutes * minute);
  await arrange(tell({ From, To: other, Body: 'STOP' }, ago(4)));
  await arrange(tell({ From, To, Body: 'START' }, ago(3)));
  const { data } = await arrange(tell({ From, To: other, Body: 'STOP' }, ago(2)));
  await assign(To);
  expect(await contents(From)).toEqual(['STOP', 'START', 'STOP']);
  const send = () =>
    product.call('send-message', {
      token: rep.token,
      body: { contactId: data.contactId, content: 'Hello' },
    });
  expect((await send()).status).toBe(409);
  await arrange(tell({ From, To, Body: 'START' }, ago(1)));
  expect((await send()).status).toBe(201);
});
