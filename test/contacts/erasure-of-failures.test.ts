import { afterEach, expect, test } from 'vitest';
import finishErasures from '../../functions/contacts/finish-erasures.ts';
import { systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { packedRequest, unpackedRequest } from '../../shared/kernel/serve/kept-request.ts';
import { serveSchedule } from '../../shared/kernel/serve/serve-schedule.ts';
import { after, day, hour, second, timestamp } from '../../shared/kernel/time.ts';
import { newCallSid } from '../calls/reports.ts';
import type { Call } from '../harness/call.ts';
import { setUpFaultyTable, setUpWorld } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { deliverKept } from '../harness/queues.ts';
import { objectsOf, tableStream, unzipped } from '../harness/table-stream.ts';
import { arrange, newPhoneNumber } from '../harness/world.ts';
import { newSid } from '../messages/webhook-client.ts';
import { timedOut } from './faulty-table.ts';
import { type Canaries, fillingsOf } from './filled-contact.ts';

const world = await setUpWorld();
const { product, admin, rep } = world;
const faults = setUpFaultyTable();
const stream = await tableStream(product);
const { webhook, newFilledContact } = await fillingsOf(world, stream);
const { givenUp, queues } = product;
const call = async (name: string, more: Call = {}, by: Person = rep) =>
  arrange(product.call(name, { token: by.token, ...more }));
const { data: configuration } = await call(
  'create-outreach-configuration',
  { body: { name: 'Fair' } },
  admin,
);
afterEach(() => {
  queues.keptRequests.take();
  givenUp.deadLetters.clear();
  givenUp.failedBatches.clear();
});

/** A contact of whom nothing is stored but a number. */
async function newNumbered(): Promise<Pick<Canaries, 'number' | 'digits' | 'text'> & { contactId: string }> {
  const number = newPhoneNumber();
  const { _id: contactId } = await world.newContact({ phoneNumbers: [{ value: number }] });
  await stream.settle();
  return { contactId, number, digits: number.slice(1), text: `canary text ${number.slice(1)}` };
}

/** What looks every half hour into what failed; its figures. */
async function look(at = new Date()): Promise<Record<string, unknown>> {
  const figures = {};
  const runtime = { ...systemRuntime, clock: () => at, log: (line: object) => Object.assign(figures, line) };
  await serveSchedule('finish-erasures', finishErasures, product.providers, runtime)();
  return figures;
}

const remove = async (contactId: string) => {
  await call('delete-contact', { path: { id: contactId } });
  await stream.settle();
};

/** Every webhook that is kept, about this number, which it could not be applied for; as messages. */
async function keptAbout({ number, text }: Pick<Canaries, 'number' | 'text'>): Promise<string[]> {
  const [From, To] = [number, webhook.phoneNumber];
  for (const command of ['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand'] as const) {
    faults.always(command, timedOut);
  }
  const body = { configurationId: configuration._id, phoneNumber: number, firstName: text, lastName: text };
  const provider = { path: { provider: 'twilio' } };
  const sms = { MessageSid: newSid(), MessageStatus: 'delivered', From: To, To: number };
  const missed = { CallSid: newCallSid(), From, To, CallStatus: 'no-answer' };
  const responses = [
    await webhook.text({ From, Body: text }),
    await product.call('receive-lead', { body }),
    await product.call('receive-call', { ...provider, body: missed }),
    await product.call('receive-status', { ...provider, body: sms }),
  ];
  faults.clear();
  expect(responses.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
  return queues.keptRequests.take().map((message) => message.body);
}

/** Applies kept requests; what the log says of those that are dropped. */
async function apply(bodies: readonly string[]): Promise<unknown[]> {
  const dropped: unknown[] = [];
  const providers = { ...product.providers, objects: await objectsOf(product) };
  const log = (line: Record<string, unknown>) => void dropped.push(...(line.dropped ? [line.dropped] : []));
  expect(await deliverKept(providers, bodies, { log })).toEqual({ batchItemFailures: [] });
  return dropped;
}

/** A kept request as if it had come two seconds later. */
function later(body: string): string {
  const kept = unpackedRequest(body);
  return packedRequest({ ...kept, receivedAt: timestamp(after(new Date(kept.receivedAt), 2 * second)) });
}

const erased = 'The contact with this number was deleted after this came in.';

test('A kept request about a contact who is deleted before it can be applied is dropped, even after it has failed too often', async () => {
  const [deleted, other] = [await newNumbered(), await newNumbered()];
  const kept = await keptAbout(deleted);
  const [first = '', ...failed] = kept;
  const others = await keptAbout(other);
  await remove(deleted.contactId);
  expect(await apply([first])).toEqual([erased]);

  for (const body of [...failed, ...others]) {
    givenUp.deadLetters.add(body);
  }
  expect(await look()).toMatchObject({ deadLetters: 7, triedAgain: 3 });
  expect([...givenUp.deadLetters]).toEqual(others);
  const again = queues.keptRequests.take().map(({ body }) => body);
  expect(again).toEqual(failed);
  // The report of a text finds no text.
  expect(await apply(again)).toEqual([erased, erased]);
  await stream.settle();
  await stream.expire(after(new Date(), 26 * hour));
  expect((await stream.texts()).filter((text) => text.includes(deleted.digits))).toEqual([]);

  expect(await apply(others)).toEqual([]);
  const texts = [...(await stream.texts())].filter((text) => /^pk: ORG#[^#]+#CONTACT/m.test(text));
  expect(texts.some((text) => text.includes(other.text))).toBe(true);
});

test('What was kept about a contact is dropped from the moment when the contact is deleted, before anybody has processed the deletion', async () => {
  const deleted = await newNumbered();
  const kept = await keptAbout(deleted);
  await call('delete-contact', { path: { id: deleted.contactId } });
  // The report of a text finds no text.
  expect(await apply(kept)).toEqual([erased, erased, erased]);
  await stream.settle();
  await stream.expire(after(new Date(), 26 * hour));
  expect((await stream.texts()).filter((text) => text.includes(deleted.digits))).toEqual([]);
});

test('The same holds for a contact who is deleted with its call', async () => {
  const number = newPhoneNumber();
  const report = { CallSid: newCallSid(), From: number, To: webhook.phoneNumber, CallStatus: 'ringing' };
  const { data } = await call('receive-call', { path: { provider: 'twilio' }, body: report });
  const kept = await keptAbout({ number, text: `canary text ${number.slice(1)}` });
  const body = { contactId: data.contactId, deleteContact: true };
  const { message } = await call('discard-call', { path: { callId: data.callId }, body });
  expect(message).toBe('Call and its contact discarded');
  expect(await apply(kept)).toEqual([erased, erased, erased]);
});

test.each([
  ['a text', 0],
  ['a lead', 1],
  ['a call', 2],
])(
  'A contact who is deleted while %s is applied that was kept about it does not come back',
  async (_, kind) => {
    const deleted = await newNumbered();
    const body = (await keptAbout(deleted))[kind] ?? '';
    faults.clear();
    // Between what the request reads and what it writes.
    faults.next('TransactWriteItemsCommand', async (next) => {
      await call('delete-contact', { path: { id: deleted.contactId } });
      return next();
    });
    expect(await apply([body])).toEqual([erased]);
    expect(faults.tries('TransactWriteItemsCommand').length).toBeGreaterThan(1);
    faults.clear();
    await stream.settle();
    await stream.expire(after(new Date(), 26 * hour));
    expect((await stream.texts()).filter((text) => text.includes(deleted.digits))).toEqual([]);
  },
);

test('A contact who comes and goes while a kept request about the number is applied does not come back either', async () => {
  const number = newPhoneNumber();
  const [text = ''] = await keptAbout({ number, text: `canary text ${number.slice(1)}` });
  faults.next('TransactWriteItemsCommand', async (next) => {
    const { _id: id } = await world.newContact({ phoneNumbers: [{ value: number }] });
    await call('delete-contact', { path: { id } });
    return next();
  });
  expect(await apply([text])).toEqual([erased]);
  faults.clear();
});

test('A kept request that comes in after its contact was deleted is applied', async () => {
  const { contactId, number, text } = await newNumbered();
  await remove(contactId);
  // A second is added to the time of a deletion.
  const kept = (await keptAbout({ number, text })).map(later);
  expect(await apply(kept)).toEqual([]);
  expect((await stream.texts()).some((row) => row.includes(number))).toBe(true);
});

test('A kept request about a deleted contact whose number another contact has by now, or gets later, is applied to that contact', async () => {
  const first = await newNumbered();
  const [moved = ''] = await keptAbout({ ...first, text: 'To whoever has the number' });
  const textsOf = (id: string, text: string) =>
    stream.texts().then((all) => all.filter((row) => row.includes(`#CONTACT#${id}`) && row.includes(text)));
  const numbers = (phoneNumbers: { value: string }[]) => ({ body: { phoneNumbers } });
  await call('update-contact', { path: { id: first.contactId }, ...numbers([{ value: newPhoneNumber() }]) });
  const second = await world.newContact({ phoneNumbers: [{ value: first.number }] });
  await stream.settle();
  await remove(first.contactId);
  expect(await apply([moved])).toEqual([]);
  expect(await textsOf(second._id, 'To whoever has the number')).not.toEqual([]);

  await remove(second._id);
  const third = await world.newContact({ phoneNumbers: [{ value: first.number }] });
  const [anew = ''] = await keptAbout({ ...first, text: 'To the one created anew' });
  expect(await apply([later(anew)])).toEqual([]);
  expect(await textsOf(third._id, 'To the one created anew')).not.toEqual([]);
});

test('Kept requests about a number that another organization has deleted are tried again, and applied', async () => {
  const number = newPhoneNumber();
  const stranger = await product.newOrganization();
  const body = { firstName: 'Ada', lastName: 'Lovelace', phoneNumbers: [{ value: number }] };
  const { data } = await call('create-contact', { body }, stranger);
  const [text = ''] = await keptAbout({ number, text: 'Is it open?' });
  await stream.settle();
  await call('delete-contact', { path: { id: data._id } }, stranger);
  await stream.settle();
  givenUp.deadLetters.add(text);
  expect(await look()).toMatchObject({ deadLetters: 1, triedAgain: 1 });
  expect(await apply(queues.keptRequests.take().map((message) => message.body))).toEqual([]);
  expect((await stream.texts()).some((row) => row.includes(number))).toBe(true);
});

/** The text of a failed batch, as Lambda writes it, and with everything in it that is zipped unzipped. */
const batchOf = (Records: readonly object[]) =>
  JSON.stringify({ version: '1.0', payload: JSON.stringify({ Records }) });

function legible(text: string): string {
  const reviver = (name: string, value: unknown) =>
    name === 'B' ? unzipped(Buffer.from(String(value), 'base64')) : value;
  return JSON.stringify(JSON.parse((JSON.parse(text) as { payload: string }).payload, reviver));
}

test('A dead letter about a deleted contact that fails again and again is deleted 14 days after it came in', async () => {
  const { contactId, ...canaries } = await newNumbered();
  const [text = ''] = await keptAbout(canaries);
  await remove(contactId);
  const lookIn = (days: number) => {
    givenUp.deadLetters.add(text);
    return look(after(new Date(), days * day));
  };
  expect(await lookIn(13.9)).toMatchObject({ deadLetters: 1, triedAgain: 1, dropped: 0 });
  queues.keptRequests.take();
  expect(await lookIn(14.1)).toMatchObject({ deadLetters: 1, triedAgain: 0, dropped: 1 });
  expect([...givenUp.deadLetters, ...queues.keptRequests.waiting]).toEqual([]);
});

test('Failed batches of the stream lose what they tell of a deleted contact, but events of the last 24 hours, and keep what is to be done', async () => {
  let digits = '';
  const records = await stream.recordsOf(async () => {
    const { contactId, ...canaries } = await newFilledContact();
    ({ digits } = canaries);
    await remove(contactId);
  });
  const ofOther = await stream.recordsOf(newNumbered);
  givenUp.failedBatches.set('deleted', batchOf(records));
  givenUp.failedBatches.set('other', batchOf(ofOther));
  givenUp.failedBatches.set('both', batchOf([...records, ...ofOther]));
  const other = batchOf(ofOther);
  const told = () => records.filter((record) => legible(batchOf([record])).includes(digits));
  expect(told().length).toBeGreaterThan(100);

  const left = (key: string) => JSON.parse(legible(givenUp.failedBatches.get(key) ?? batchOf([]))).Records;
  /** Events, and the names of files that end with their uploads. */
  const endsWithinADay = ({ dynamodb }: { dynamodb: { Keys: { pk: { S: string }; sk: { S: string } } } }) =>
    /^ORG#[^#]+#EVENTS#/.test(dynamodb.Keys.pk.S) || /^OBJECTS#/.test(dynamodb.Keys.sk.S);
  expect(await look()).toMatchObject({ batches: 3, shortened: 2 });
  const still = left('deleted').filter((record: object) => JSON.stringify(record).includes(digits));
  expect(still.length).toBeGreaterThan(20);
  expect(still.filter((record: never) => !endsWithinADay(record))).toEqual([]);

  expect(await look(after(new Date(), 24 * hour))).toMatchObject({ batches: 3, shortened: 2 });
  expect(JSON.stringify(left('deleted'))).not.toContain(digits);
  expect(JSON.stringify(left('both'))).not.toContain(digits);
  expect(givenUp.failedBatches.get('other')).toBe(other);
  const names = left('deleted').map(
    ({ eventName, dynamodb }: { eventName: string; dynamodb: { Keys: { sk: { S: string } } } }) =>
      `${eventName} ${dynamodb.Keys.sk.S.split('#')[0]}`,
  );
  expect(names).toEqual(expect.arrayContaining(['REMOVE CONTACT', 'REMOVE OBJECTS']));
  expect(await look(after(new Date(), 24 * hour))).toMatchObject({ batches: 3, shortened: 0 });
});

test('What failed and cannot be read holds up nothing else that failed', async () => {
  const deleted = await newNumbered();
  const [kept = ''] = await keptAbout(deleted);
  let digits = '';
  const records = await stream.recordsOf(async () => {
    const { contactId, ...canaries } = await newFilledContact();
    ({ digits } = canaries);
    await remove(contactId);
  });
  await remove(deleted.contactId);
  for (const body of ['{"operation":"receive-sms"}', kept]) {
    givenUp.deadLetters.add(body);
  }
  givenUp.failedBatches.set('odd', 'not JSON');
  givenUp.failedBatches.set('deleted', batchOf(records));
  expect(await look(after(new Date(), 24 * hour))).toMatchObject({
    ...{ deadLetters: 2, triedAgain: 1, batches: 2, shortened: 1, unreadable: 2 },
  });
  expect(legible(givenUp.failedBatches.get('deleted') ?? batchOf([]))).not.toContain(digits);
  expect(givenUp.failedBatches.get('odd')).toBe('not JSON');
});
