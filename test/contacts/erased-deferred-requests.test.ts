import { afterEach, expect, test } from 'vitest';
import { endErasure } from '../../functions/contacts/model/erasure/end-erasure.ts';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import { packedRequest, unpackedRequest } from '../../shared/kernel/serve/deferred-request.ts';
import { after, day, hour, second, timestamp } from '../../shared/kernel/time.ts';
import { newCallSid } from '../calls/reports.ts';
import { clockClient } from '../harness/clock.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { deliverDeferred } from '../harness/queues.ts';
import { provideTestObjects, tableStream } from '../harness/table-stream.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { form, newSid } from '../messages/webhook-client.ts';
import { failedWorkIn } from './failed-work.ts';
import { timedOut } from './faulty-table.ts';

const tenants = await setUpTenants();
const { product, admin } = tenants;
const faults = setUpFaultyTable();
const stream = await tableStream(product);
const { call, clear, deferredAbout, look, newNumbered, remove, webhook } = await failedWorkIn(
  tenants,
  stream,
  faults,
);
const { givenUp, queues } = product;
afterEach(clear);

/** Applies deferred requests. Resolves with the reasons in the log for those that are dropped. */
async function apply(bodies: readonly string[]): Promise<unknown[]> {
  const dropped: unknown[] = [];
  const providers = { ...product.providers, objects: await provideTestObjects(product) };
  const log = (line: Record<string, unknown>) => void dropped.push(...(line.dropped ? [line.dropped] : []));
  expect(await deliverDeferred(providers, bodies, { log })).toEqual({ batchItemFailures: [] });
  return dropped;
}

/** A deferred request as if it had come later. */
function later(body: string, milliseconds = 2 * second): string {
  const deferred = unpackedRequest(body);
  return packedRequest({
    ...deferred,
    receivedAt: timestamp(after(new Date(deferred.receivedAt), milliseconds)),
  });
}

const erased = 'The contact with this number was deleted after this came in.';

test('A deferred request about a contact who is deleted before it can be applied is dropped, even after it has failed too often', async () => {
  const [deleted, other] = [await newNumbered(), await newNumbered()];
  const deferred = await deferredAbout(deleted);
  const [first = '', ...failed] = deferred;
  const others = await deferredAbout(other);
  await remove(deleted.contactId);
  expect(await apply([first])).toEqual([erased]);

  for (const body of [...failed, ...others]) {
    givenUp.deadLetters.add(body);
  }
  expect(await look()).toMatchObject({ deadLetters: 7, triedAgain: 3 });
  expect([...givenUp.deadLetters]).toEqual(others);
  const again = queues.deferredRequests.take().map(({ body }) => body);
  expect(again).toEqual(failed);
  // The report of a text finds no text.
  expect(await apply(again)).toEqual([erased, erased]);
  await stream.settle();
  await stream.expire(after(new Date(), 74 * hour));
  expect((await stream.texts()).filter((text) => text.includes(deleted.digits))).toEqual([]);

  expect(await apply(others)).toEqual([]);
  const texts = [...(await stream.texts())].filter((text) => /^pk: ORG#[^#]+#CONTACT/m.test(text));
  expect(texts.some((text) => text.includes(other.text))).toBe(true);
});

test('What was deferred about a contact is dropped from the moment when the contact is deleted, before anybody has processed the deletion', async () => {
  const deleted = await newNumbered();
  const deferred = await deferredAbout(deleted);
  await call('delete-contact', { path: { id: deleted.contactId } });
  // The report of a text finds no text.
  expect(await apply(deferred)).toEqual([erased, erased, erased]);
  await stream.settle();
  await stream.expire(after(new Date(), 74 * hour));
  expect((await stream.texts()).filter((text) => text.includes(deleted.digits))).toEqual([]);
});

test('A STOP that was deferred, and whose contact was deleted before it could be applied, counts for whoever gets the number', async () => {
  const { number, contactId } = await newNumbered();
  const [stop = ''] = await deferredAbout({ number, text: 'STOP' });
  await remove(contactId);
  expect(await apply([stop, stop])).toEqual([erased, erased]);
  const again = await tenants.newContact({ phoneNumbers: [{ value: number }] });
  expect(again.consent).toMatchObject({ sms: 'out', source: 'keyword' });
});

test('What came in and was deferred while a deletion took nine seconds is dropped', async () => {
  const deleted = await newNumbered();
  const deferred = (await deferredAbout(deleted)).map((body) => later(body, 9 * second));
  // Whoever applies a deferred request cannot tell whether this was committed at once, or nine seconds after it began.
  await call('delete-contact', { path: { id: deleted.contactId } });
  // The report of a text finds no text.
  expect(await apply(deferred)).toEqual([erased, erased, erased]);
});

test('A deletion that is processed after the number was deleted once more leaves that deletion as it is', async () => {
  const number = newPhoneNumber();
  const deleted = async () => {
    const contact = await tenants.newContact({ phoneNumbers: [{ value: number }] });
    await call('delete-contact', { path: { id: contact._id } });
    return contact as unknown as StoredContact;
  };
  const [first] = [await deleted(), await deleted()];
  const { table } = product.tableOf(admin.organizationId);
  await endErasure({ table, platform: clockClient(product).platform }, first, new Date());
  const deferred = await deferredAbout({ number, text: 'Is it open?' });
  expect(await apply(deferred.slice(0, 1).map((body) => later(body, 9 * second)))).toEqual([erased]);
});

test('The same holds for a contact who is deleted with its call', async () => {
  const number = newPhoneNumber();
  const report = { CallSid: newCallSid(), From: number, To: webhook.phoneNumber, CallStatus: 'ringing' };
  const { data } = await call('receive-call', { path: { provider: 'twilio' }, body: report });
  const deferred = await deferredAbout({ number, text: `canary text ${number.slice(1)}` });
  const body = { contactId: data.contactId, deleteContact: true };
  const { message } = await call('discard-call', { path: { callId: data.callId }, body });
  expect(message).toBe('Call and its contact discarded');
  expect(await apply(deferred)).toEqual([erased, erased, erased]);
});

test.each([
  ['a text', 0],
  ['a lead', 1],
  ['a call', 2],
])(
  'A contact who is deleted while %s is applied that was deferred about it does not come back',
  async (_, kind) => {
    const deleted = await newNumbered();
    const body = (await deferredAbout(deleted))[kind] ?? '';
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
    await stream.expire(after(new Date(), 74 * hour));
    expect((await stream.texts()).filter((text) => text.includes(deleted.digits))).toEqual([]);
  },
);

test('A contact who comes and goes while a deferred request about the number is applied does not come back either', async () => {
  const number = newPhoneNumber();
  const [text = ''] = await deferredAbout({ number, text: `canary text ${number.slice(1)}` });
  faults.next('TransactWriteItemsCommand', async (next) => {
    const { _id: id } = await tenants.newContact({ phoneNumbers: [{ value: number }] });
    await call('delete-contact', { path: { id } });
    return next();
  });
  expect(await apply([text])).toEqual([erased]);
  faults.clear();
});

test('A deferred request that comes in after its contact was deleted is applied', async () => {
  const { contactId, number, text } = await newNumbered();
  await remove(contactId);
  // A second is added to the time at which the deletion was processed.
  const deferred = (await deferredAbout({ number, text })).map((body) => later(body));
  expect(await apply(deferred)).toEqual([]);
  expect((await stream.texts()).some((row) => row.includes(number))).toBe(true);
});

test('A deferred request about a deleted contact whose number another contact has by now, or gets later, is applied to that contact', async () => {
  const first = await newNumbered();
  const [moved = ''] = await deferredAbout({ ...first, text: 'To whoever has the number' });
  const textsOf = (id: string, text: string) =>
    stream.texts().then((all) => all.filter((row) => row.includes(`#CONTACT#${id}`) && row.includes(text)));
  const numbers = (phoneNumbers: { value: string }[]) => ({ body: { phoneNumbers } });
  await call('update-contact', { path: { id: first.contactId }, ...numbers([{ value: newPhoneNumber() }]) });
  const second = await tenants.newContact({ phoneNumbers: [{ value: first.number }] });
  await stream.settle();
  await remove(first.contactId);
  expect(await apply([moved])).toEqual([]);
  expect(await textsOf(second._id, 'To whoever has the number')).not.toEqual([]);

  await remove(second._id);
  const third = await tenants.newContact({ phoneNumbers: [{ value: first.number }] });
  const [anew = ''] = await deferredAbout({ ...first, text: 'To the one created anew' });
  expect(await apply([later(anew)])).toEqual([]);
  expect(await textsOf(third._id, 'To the one created anew')).not.toEqual([]);
});

test('Deferred requests about a number that another organization has deleted are tried again, and applied', async () => {
  const number = newPhoneNumber();
  const otherRep = await product.newOrganization();
  const body = { firstName: 'Ada', lastName: 'Lovelace', phoneNumbers: [{ value: number }] };
  const { data } = await call('create-contact', { body }, otherRep);
  const [text = ''] = await deferredAbout({ number, text: 'Is it open?' });
  await stream.settle();
  await call('delete-contact', { path: { id: data._id } }, otherRep);
  await stream.settle();
  givenUp.deadLetters.add(text);
  expect(await look()).toMatchObject({ deadLetters: 1, triedAgain: 1 });
  expect(await apply(queues.deferredRequests.take().map((message) => message.body))).toEqual([]);
  expect((await stream.texts()).some((row) => row.includes(number))).toBe(true);
});

test.each([
  ['a number in JSON', (digits: string) => ({ body: { To: Number(digits) } })],
  ['a form that has a blank for its plus', (digits: string) => ({ headers: form, body: `To=+${digits}` })],
])(
  'A deferred report about a text to a contact who is deleted is tried again, and dropped, although it names the number as %s',
  async (_, naming) => {
    const { contactId, digits } = await newNumbered();
    const { body, ...more } = naming(digits);
    const sms = { MessageSid: newSid(), MessageStatus: 'delivered' };
    faults.always('GetItemCommand', timedOut);
    const deferred = await product.call('receive-status', {
      ...more,
      path: { provider: 'twilio' },
      body: typeof body === 'string' ? `${body}&${new URLSearchParams(sms)}` : { ...sms, ...body },
    });
    faults.clear();
    expect([200, 202]).toContain(deferred.status);
    const [letter = ''] = queues.deferredRequests.take().map((message) => message.body);
    givenUp.deadLetters.add(letter);
    await remove(contactId);
    expect(await look()).toMatchObject({ deadLetters: 1, triedAgain: 1 });
    expect(await apply(queues.deferredRequests.take().map((message) => message.body))).toEqual([]);
    expect([...givenUp.deadLetters]).toEqual([]);
  },
);

test('A dead letter about a deleted contact that fails again and again is deleted 14 days after it came in', async () => {
  const { contactId, ...canaries } = await newNumbered();
  const [text = ''] = await deferredAbout(canaries);
  await remove(contactId);
  const lookIn = (days: number) => {
    givenUp.deadLetters.add(text);
    return look(after(new Date(), days * day));
  };
  expect(await lookIn(13.9)).toMatchObject({ deadLetters: 1, triedAgain: 1, dropped: 0 });
  queues.deferredRequests.take();
  expect(await lookIn(14.1)).toMatchObject({ deadLetters: 1, triedAgain: 0, dropped: 1 });
  expect([...givenUp.deadLetters, ...queues.deferredRequests.waiting]).toEqual([]);
});
