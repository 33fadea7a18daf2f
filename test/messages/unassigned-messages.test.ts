import { expect, test } from 'vitest';
import type { IncomingSms } from '../../functions/messages/model/incoming-sms.ts';
import { unassignedLimits } from '../../functions/messages/model/keep-unassigned.ts';
import {
  type UnassignedMessage,
  unassignedCountKey,
  unassignedMessageKey,
} from '../../functions/messages/model/unassigned-message.ts';
import { sourceNetwork } from '../../shared/kernel/http/source-address.ts';
import { day, hour, after as later, minute, second, timestamp } from '../../shared/kernel/time.ts';
import { toDigest } from '../../shared/table/digest.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import { scope } from '../auth/records.ts';
import { contactsClient } from '../contacts/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { domainName } from '../harness/gateway.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, expectStatus, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { loseContactPipelines } from '../pipelines/client.ts';
import { signedForm } from './twilio-signing.ts';
import { emptyResponse, form, newSid } from './webhook-client.ts';

const { product, admin, rep, foreignAdmin, foreignRep } = await setUpTenants();
const lines: Record<string, unknown>[] = [];
const stream = await tableStream(product, (line) => lines.push(line));
const webhookUrl = `https://${domainName}/api/webhook/smsprovider/sms`;

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
  const [contact] = await contactsClient(product, rep).everything({ search: from });
  const { data } = await arrange(product.call('list-conversations', { token, query: { limit: '100' } }));
  const conversation = data.find(({ contactId }: { contactId: string }) => contactId === contact?._id);
  return conversation === undefined
    ? []
    : (await arrange(product.call('list-messages', { token, path: { id: conversation._id } }))).data;
}

const contents = async (from: string) => (await received(from)).map(({ content }) => content);

/** Decisions 10: a `To` that nobody has: 200, kept for 30 days and delivered when the number is assigned. */
test('A text message to a number that nobody has is acknowledged, and delivered once the number is assigned, as of when it came', async () => {
  const [From, To] = [newPhoneNumber(), newPhoneNumber()];
  const [first, second] = [new Date(Date.now() - 2 * minute), new Date(Date.now() - minute)];
  const { status, body } = await tell({ From, To, Body: 'One' }, first);
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      success: true,
      message:
        'The number in To is not assigned. The message is kept for 30 days, and delivered if the number is assigned by then.',
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
  const response = await product.call('receive-sms', {
    path: { provider: 'smsprovider' },
    body: new URLSearchParams(fields).toString(),
    headers: form,
  });
  expect(response).toMatchObject({ status: 200, body: emptyResponse });
});

test('A text message to nobody that the provider repeats is delivered once, even when it is repeated afterwards', async () => {
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

const signed = (fields: { MessageSid: string; From: string; To: string; Body: string }, secret: string) =>
  product.call('receive-sms', {
    path: { provider: 'smsprovider' },
    body: new URLSearchParams(fields).toString(),
    ...signedForm(secret, webhookUrl, fields),
  });

test('An unsigned text message to nobody is not delivered to a number with a secret', async () => {
  const [From, To] = [newPhoneNumber(), newPhoneNumber()];
  await arrange(tell({ From, To, Body: 'Forged' }));
  await assign(To, { secret: 'shared secret' });
  expect(await contents(From)).toEqual([]);
});

test('Text messages to nobody that are signed with another secret wait until that of the number is corrected', async () => {
  const [From, To, secret] = [newPhoneNumber(), newPhoneNumber(), '0123456789abcdef0123456789abcdef'];
  await arrange(tell({ From, To, Body: 'Forged' }));
  for (const Body of ['One', 'Two']) {
    expectStatus(await signed({ MessageSid: newSid(), From, To, Body }, secret), 200);
  }
  await assign(To, { secret: `${secret}x` });
  expect(await contents(From)).toEqual([]);
  await arrange(
    product.call('update-phone-number', {
      token: admin.token,
      path: { organizationId: admin.organizationId, phoneNumber: To },
      body: { secret },
    }),
  );
  await stream.settle();
  expect(await contents(From)).toEqual(['Two', 'One']);
});

test('A signed text message of 4,096 emoji to nobody is delivered to a number with its secret', async () => {
  const [From, To, secret] = [newPhoneNumber(), newPhoneNumber(), '0123456789abcdef0123456789abcdef'];
  const Body = '👋'.repeat(4_096);
  expectStatus(await signed({ MessageSid: newSid(), From, To, Body }, secret), 200);
  await assign(To, { secret });
  expect(await contents(From)).toEqual([Body]);
});

test.each(['no number at all', '12345', 'whatsapp:+1', '#'])(
  'A text message to %j, which no organization can have, is acknowledged, and nothing of it is kept',
  async (To) => {
    const before = await stream.texts();
    const { status, body } = await tell({ From: newPhoneNumber(), To });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        message:
          'To is not a phone number with a country code, so nobody can receive the message. It was not kept.',
        data: { messageId: null, conversationId: null, contactId: null, duplicate: false },
      },
    });
    expect(await stream.texts()).toEqual(before);
  },
);

test('A kept text message takes little room however long its id and its request are', async () => {
  const To = newPhoneNumber();
  const long = { MessageSid: 'S'.repeat(100_000), Body: 'Z'.repeat(100_000), From: 'F'.repeat(20_000) };
  await arrange(tell({ ...long, To }));
  const kept = (await stream.texts()).filter((text) => text.includes(To));
  expect(kept).toHaveLength(1);
  expect(kept.join('').length).toBeLessThan(6_000);
});

const platform = () => product.providers.platform?.(scope()) as TableWriter<'platform'>;

/** As if so many messages had been kept in the period of a limit already. */
async function alreadyKept(of: keyof typeof unassignedLimits, subject: string, at: Date, kept: number) {
  const period = Math.floor(at.getTime() / unassignedLimits[of].period);
  const key = unassignedCountKey(of, toDigest(subject), String(period));
  await platform().update(key, { update: 'SET used = :kept', values: { kept } });
}

test.each(['NUMBER', 'NETWORK'] as const)(
  'Of text messages to nobody 1,000 are kept for each %s; the next is 429 and not kept, until the period is over',
  async (of) => {
    const at = new Date(Date.now() - minute);
    const [To, sourceIp] = [newPhoneNumber(), `2001:db8:${newSid().slice(2, 6)}::1`];
    const body = (Body: string) => ({ MessageSid: newSid(), From: newPhoneNumber(), To, Body });
    const send = (Body: string, when = at) =>
      product.call('receive-sms', { path: { provider: 'twilio' }, body: body(Body), sourceIp, at: when });
    await alreadyKept(of, of === 'NUMBER' ? To : sourceNetwork(sourceIp), at, 999);
    expectStatus(await send('Last'), 200);
    const refused = await send('Beyond');
    expect(outcome(refused)).toEqual(
      failure(
        429,
        'The number in To is not assigned, and too many messages are already waiting for it. This one was not kept.',
      ),
    );
    const { period } = unassignedLimits[of];
    const wait = Number(refused.headers['retry-after']);
    expect(wait * second).toBeLessThanOrEqual(period);
    expectStatus(await send('Later', later(at, wait * second)), 200);
    const texts = (await stream.texts()).filter((text) => text.includes(To)).join('\n');
    expect(['Last', 'Beyond', 'Later'].filter((one) => texts.includes(one))).toEqual(['Last', 'Later']);
  },
);

/** Puts messages to a number into the table as if they had come one after the other. */
async function waiting(To: string, messages: readonly object[]) {
  const table = platform();
  for (const [index, sms] of messages.entries()) {
    const receivedAt = timestamp(new Date(Date.now() - hour + index));
    const key = unassignedMessageKey(toDigest(To), receivedAt, toDigest(String(index)));
    await table.commit([table.put(key, { sms, receivedAt } as UnassignedMessage)]);
  }
}

/** The log lines of the deliveries meanwhile. */
async function runsOf(work: () => Promise<void>) {
  lines.length = 0;
  await work();
  return lines.filter(({ operation }) => operation === 'deliver-unassigned-messages');
}

const waitingSms = (from: string, to: string, content: string): IncomingSms => {
  const sid = newSid();
  return { sid, providerMessageId: sid, from, to, content, attachments: [] };
};

test('Each run delivers 50 of a hundred and one messages that waited for a number, so that other background work goes on in between', async () => {
  const [From, To] = [newPhoneNumber(), newPhoneNumber()];
  const all = Array.from({ length: 101 }, (_, index) => `Number ${index}`);
  await waiting(
    To,
    all.map((content) => waitingSms(From, To, content)),
  );
  const runs = await runsOf(() => assign(To));
  expect(runs.map(({ delivered, left }) => [delivered, left])).toEqual([
    [50, 0],
    [50, 0],
    [1, 0],
  ]);
  expect((await contents(From)).slice(0, 2)).toEqual(['Number 100', 'Number 99']);
  expect((await stream.texts()).filter((text) => /^pk: PLATFORM#UNCLAIMED(_REST)?#/.test(text))).toEqual([]);
});

test('A message that cannot be stored does not keep those behind it from being delivered, and is reported', async () => {
  const [From, To] = [newPhoneNumber(), newPhoneNumber()];
  await waiting(To, [{ sid: 'broken' }, waitingSms(From, To, 'Behind it')]);
  expect(await runsOf(() => assign(To))).toMatchObject([{ delivered: 1, left: 1, level: 'error' }]);
  expect(await contents(From)).toEqual(['Behind it']);
});

test('A text message to nobody waits while the organization that gets the number has no Contact pipeline', async () => {
  const [From, To] = [newPhoneNumber(), newPhoneNumber()];
  await arrange(tell({ From, To, Body: 'Patient' }));
  const { token, organizationId } = foreignAdmin;
  await loseContactPipelines(product, foreignAdmin);
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
