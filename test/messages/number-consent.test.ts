import { expect, test } from 'vitest';
import type { Consent } from '../../shared/contacts/consent.ts';
import { contactKey, type StoredContact } from '../../shared/contacts/contact.ts';
import { after, minute, timestamp } from '../../shared/kernel/time.ts';
import { contactsClient } from '../contacts/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { prepareNumbers, refused, stopped } from './number-consent-client.ts';

// Decisions 10, "Consent": it belongs to the number, not to the record; 47 CFR 64.1200(a)(10) revokes it for the called number.

const tenants = await setUpTenants();
const { product, rep } = tenants;
const numbers = await prepareNumbers(tenants);

/** How the number of a contact that said STOP comes to another contact, or back; the contact that has it then. */
const ways: Record<string, (one: { number: string; id: string }) => Promise<string>> = {
  async 'is taken from its contact and given to another one'({ number, id }) {
    await numbers.setNumbers(id, newPhoneNumber());
    const other = await numbers.having(newPhoneNumber());
    await numbers.setNumbers(other, number);
    return other;
  },
  async 'is removed from its contact and given back'({ number, id }) {
    await numbers.setNumbers(id);
    expect((await numbers.consent(id)).sms).toBe('in');
    await numbers.setNumbers(id, number);
    return id;
  },
  async 'belongs to a deleted contact, and becomes that of a new one'({ number, id }) {
    await numbers.remove(id);
    return numbers.having(number);
  },
  async 'is imported again, among other numbers that nobody has any more'({ number, id }) {
    const other = await stopped(numbers);
    await numbers.remove(id);
    await numbers.remove(other.id);
    const values = [number, newPhoneNumber(), other.number];
    const phoneNumbers = values.map((value) => ({ value }));
    return (await numbers.create({ phoneNumbers, isBulkImport: true }))._id;
  },
  async 'is created again by a request with a key, among other numbers that nobody has any more'({
    number,
    id,
  }) {
    const other = await stopped(numbers);
    await numbers.remove(id);
    await numbers.remove(other.id);
    const phoneNumbers = [number, newPhoneNumber(), other.number].map((value) => ({ value }));
    return (
      await contactsClient(product, rep, { 'idempotency-key': number }).created({
        lastName: 'Somebody',
        phoneNumbers,
      })
    )._id;
  },
  async 'comes with a lead after its contact was deleted'({ number, id }) {
    await numbers.remove(id);
    return (await numbers.lead(number)).contactId;
  },
  async 'writes something else after its contact was deleted'({ number, id }) {
    await numbers.remove(id);
    return (await numbers.text(number, 'Who is this?')).data.contactId;
  },
  async 'calls after its contact was deleted'({ number, id }) {
    await numbers.remove(id);
    return (await numbers.calls.answered(number)).contactId;
  },
  async 'is called after its contact was deleted'({ number, id }) {
    await numbers.remove(id);
    return (await numbers.calls.dialed({ phoneNumber: number })).contactId;
  },
  async 'missed its user, who recorded that, after its contact was deleted'({ number, id }) {
    await numbers.remove(id);
    const { contactId, missedCall } = await numbers.calls.missed({ callerNumber: number });
    expect(missedCall).toMatchObject({ outcome: 'skipped', reason: 'opted_out' });
    return contactId;
  },
};

test.each(Object.keys(ways))(
  'A number that said STOP gets no text, whichever contact has it: when it %s',
  async (way) => {
    const one = await stopped(numbers);
    const id = (await ways[way]?.(one)) ?? '';
    expect(await numbers.consent(id)).toMatchObject({ sms: 'out', source: 'keyword' });
    expect(await numbers.texts(id, one.number)).toEqual(refused);
    await numbers.text(one.number, 'START');
    expect((await numbers.send(id)).status).toBe(201);
  },
);

/** Who has said that a number wants no texts, and how. */
const statements: Record<string, (one: { number: string; id: string }) => Promise<unknown>> = {
  'the number, when nobody knew it': async ({ number, id }) => {
    await numbers.remove(id);
    await numbers.remove((await numbers.text(number, 'Quit')).data.contactId);
  },
  'a user': ({ id }) => numbers.state(id, 'out'),
  'a keyword, again and again': async ({ number }) => {
    await numbers.text(number, 'STOP');
    await numbers.text(number, 'Cancel');
  },
  'the number, after START': async ({ number }) => {
    await numbers.text(number, 'START');
    await numbers.text(number, 'STOP');
  },
  'a record from before consent belonged to numbers': ({ id }) =>
    overwrite(id, { consent: { sms: 'out', since: '2026-01-02T03:04:05.678Z', source: 'user' } }),
};

async function overwrite(id: string, fields: Partial<StoredContact>) {
  const stored = await numbers.table.read(contactKey(id));
  if (stored !== undefined) {
    await numbers.table.commit([numbers.table.replace(stored, { ...stored.data, ...fields })]);
  }
}

test.each(Object.keys(statements))(
  'What %s has said stays with the number, and not with the contact',
  async (who) => {
    const one = { number: newPhoneNumber(), id: '' };
    one.id = await numbers.having(one.number);
    await statements[who]?.(one);
    const has = who.includes('nobody knew') ? undefined : one.id;
    if (has !== undefined) {
      const said = await numbers.consent(has);
      expect(said.sms).toBe('out');
      await numbers.setNumbers(has, newPhoneNumber());
      expect((await numbers.consent(has)).sms).toBe('in');
      expect((await numbers.send(has)).status).toBe(201);
      const other = await numbers.having(one.number);
      expect(await numbers.consent(other)).toEqual(said);
      await numbers.remove(other);
    }
    expect(await numbers.texts(await numbers.having(one.number), one.number)).toEqual(refused);
  },
);

test.each(['whatsapp:+14155550123', '32665', 'ACME'])(
  'What %s has said stays with that address when its contact is deleted',
  async (From) => {
    const { data } = await numbers.text(From, 'STOP');
    await numbers.remove(data.contactId);
    const { data: again } = await numbers.text(From, 'Hello again');
    expect(again.contactId).not.toBe(data.contactId);
    expect(await numbers.consent(again.contactId)).toMatchObject({ sms: 'out', source: 'keyword' });
    await numbers.text(From, 'START');
    expect(await numbers.consent(again.contactId)).toMatchObject({ sms: 'in', source: 'keyword' });
  },
);

test.each(['__proto__', 'constructor', 'toString'])(
  'A sender that calls itself %s can opt out',
  async (From) => {
    const { contactId } = (await numbers.text(From, 'Hello')).data;
    expect((await numbers.consent(contactId)).sms).toBe('in');
    await numbers.text(From, 'STOP');
    expect((await numbers.consent(contactId)).sms).toBe('out');
  },
);

test('A new number of a contact whose old one said STOP gets texts', async () => {
  const { id } = await stopped(numbers);
  const next = newPhoneNumber();
  await numbers.setNumbers(id, next);
  expect(await numbers.consent(id)).toMatchObject({ sms: 'in', source: 'user' });
  const texts = await numbers.texts(id, next);
  expect(texts).toEqual({ direct: 201, scheduled: 201, workflow: 'passed', missedCall: 'open' });
});

test('A number that said START takes that along, too, and a contact that it leaves has said nothing', async () => {
  const number = newPhoneNumber();
  const id = await numbers.having(number);
  await numbers.text(number, 'START');
  const said = await numbers.consent(id);
  expect(said).toMatchObject({ sms: 'in', source: 'keyword' });
  await numbers.setNumbers(id, newPhoneNumber());
  expect(await numbers.consent(id)).toMatchObject({ sms: 'in', source: 'user' });
  expect(await numbers.consent(await numbers.having(number))).toEqual(said);
});

test('Of a contact with several numbers, each has said what it said; the consent shown is that of the primary one', async () => {
  const [first, second, third] = [newPhoneNumber(), newPhoneNumber(), newPhoneNumber()];
  const id = await numbers.having(first, second);
  await numbers.text(second, 'STOP');
  expect((await numbers.consent(id)).sms).toBe('in');
  // A reply goes to the number that wrote last.
  expect((await numbers.send(id)).status).toBe(409);
  await numbers.text(first, 'Call me');
  expect((await numbers.send(id)).status).toBe(201);
  await numbers.setNumbers(id, second, first, third);
  expect((await numbers.consent(id)).sms).toBe('out');
  await numbers.setNumbers(id, third, second);
  expect((await numbers.consent(id)).sms).toBe('in');
  expect((await numbers.consent(await numbers.having(first))).sms).toBe('in');
  expect(await numbers.texts(id, second)).toMatchObject({ missedCall: 'opted_out' });
});

test('What a user records is about all numbers that the contact has, and about none that it gets later', async () => {
  const [first, second, third] = [newPhoneNumber(), newPhoneNumber(), newPhoneNumber()];
  const id = await numbers.having(first, second);
  await numbers.text(first, 'STOP');
  const { since } = await numbers.consent(id);
  await numbers.state(id, 'out');
  await numbers.setNumbers(id, third, first, second);
  expect((await numbers.consent(id)).sms).toBe('in');
  await numbers.setNumbers(id);
  // What it had said before is not said again.
  expect(await numbers.consent(await numbers.having(first))).toMatchObject({ since, source: 'keyword' });
  const other = await numbers.having(second);
  expect(await numbers.consent(other)).toMatchObject({ sms: 'out', source: 'user' });
  await numbers.state(other, 'in');
  expect((await numbers.send(other)).status).toBe(201);
});

test('What a user records of a contact without a number is about the first one that it gets', async () => {
  const { _id } = await numbers.create({ email: 'grace@example.com' });
  await numbers.state(_id, 'out');
  expect((await numbers.consent(_id)).sms).toBe('out');
  const number = newPhoneNumber();
  await numbers.setNumbers(_id, number);
  expect(await numbers.texts(_id, number)).toEqual(refused);
  await numbers.setNumbers(_id, newPhoneNumber());
  expect((await numbers.consent(_id)).sms).toBe('in');
});

test('A START that comes late does not outdo the STOP that a deleted contact said after it', async () => {
  const number = newPhoneNumber();
  const now = new Date();
  await numbers.text(number, 'STOP', after(now, minute));
  const { data } = await numbers.text(number, 'STOP', after(now, 3 * minute));
  await numbers.remove(data.contactId);
  const id = await numbers.having(number);
  await numbers.text(number, 'START', after(now, 2 * minute));
  expect(await numbers.consent(id)).toEqual({
    ...{ sms: 'out', source: 'keyword' },
    since: timestamp(after(now, minute)),
  } satisfies Consent);
  await numbers.text(number, 'START', after(now, 4 * minute));
  expect((await numbers.consent(id)).sms).toBe('in');
});

test('A contact that gets another number has not opted in, for the workflows that wait for that', async () => {
  const { id } = await stopped(numbers);
  const changes = async () =>
    (await readEvents(product, rep.organizationId))
      .filter(({ event, data }) => event === 'contact_updated' && data.contactId === id)
      .map(({ change }) => change);
  await numbers.setNumbers(id, newPhoneNumber());
  expect((await changes()).at(-1)).toEqual({ fields: ['phoneNumbers', 'consent'] });
});
