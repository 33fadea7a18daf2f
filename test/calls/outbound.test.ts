import { afterAll, expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { newPhoneNumber, outcome } from '../harness/tenants.ts';
import { eventsAbout, readVoiceConversations } from './call-records.ts';
import { callFailure, callsClient, keysWithout } from './client.ts';
import { expectConsistent } from './consistency.ts';

const tenants = await setUpTenants();
const { product, admin, rep, newContact } = tenants;
const client = callsClient(product, rep);
const contacts = contactsClient(product, admin);
afterAll(() => expectConsistent(product, admin));

test('An outbound call to nobody’s number returns 201 with the call `initiated`, and creates a contact `New Contact`, source `Outgoing Call`', async () => {
  const phoneNumber = newPhoneNumber();
  const { status, body } = await client.dial({ phoneNumber });
  expect(status).toBe(201);
  expect(Object.keys(body)).toEqual(['success', 'call', 'message']);
  expect(Object.keys(body.call)).toEqual(
    keysWithout('from', 'providerPhoneNumber', 'answerTime', 'endTime', 'duration'),
  );
  expect(body.call).toMatchObject({
    provider: 'sdk',
    direction: 'outbound',
    status: 'initiated',
    to: phoneNumber,
    recordings: [],
  });
  expect((await contacts.read(body.call.contactId)).body.data).toMatchObject({
    firstName: 'New Contact',
    lastName: '',
    source: 'Outgoing Call',
    owner: rep.userId,
  });
  const events = await eventsAbout(tenants, body.call.contactId);
  expect(events.map(({ event }) => event)).toEqual(['contact_created', 'call_initiated']);
  expect((await client.dialed({ phoneNumber })).contactId).toBe(body.call.contactId);
});

test('An outbound call to a contact goes to its primary number, or to another one of its numbers', async () => {
  const [first, second] = [newPhoneNumber(), newPhoneNumber()];
  const { _id: contactId } = await newContact({
    phoneNumbers: [{ value: first }, { value: second, isPrimary: true }],
  });
  const calls = [
    await client.dialed({ contactId }),
    await client.dialed({ contactId, phoneNumber: first.replace('+', '00 ') }),
  ];
  expect(calls.map(({ to }) => to)).toEqual([second, first]);
  expect(calls.map((call) => call.contactId)).toEqual([contactId, contactId]);
  expect(await readVoiceConversations(tenants, contactId)).toHaveLength(1);
});

test('An outbound call to a contact without that number, or without any, is a 400 that names the field', async () => {
  const { _id: contactId } = await newContact();
  const { _id: mute } = await newContact({ phoneNumbers: [] });
  for (const [sent, field] of [
    [{ contactId, phoneNumber: newPhoneNumber() }, 'phoneNumber'],
    [{ contactId: mute }, 'contactId'],
    [{}, 'contactId'],
    [{ contactId: 7 }, 'contactId'],
    [{ phoneNumber: '12' }, 'phoneNumber'],
  ] as const) {
    expect(outcome(await client.dial(sent))).toEqual(
      callFailure(400, expect.stringMatching(new RegExp(`^${field}`))),
    );
  }
});
