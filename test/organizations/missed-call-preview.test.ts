import { beforeEach, expect, test } from 'vitest';
import { missedCallTextKey } from '../../shared/calls/missed-call.ts';
import { day } from '../../shared/kernel/time.ts';
import { contactsClient } from '../contacts/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { newWebhookClient, type WebhookClient } from '../messages/webhook-client.ts';
import { readRows } from '../seed/table.ts';
import { type OrganizationsClient, organizationsClient, problem } from './client.ts';

let admin: Person;
let client: OrganizationsClient;
let line: WebhookClient;
let callerNumber: string;
const product = await setUpProduct();

const open = '2026-11-23T10:00:00Z';
const closed = '2026-11-23T18:00:00Z';
const hours = { businessHours: { monday: { enabled: true, start: '09:00', end: '17:00' } } };
const message = {
  missedCallMessage: 'Sorry we missed you, {{contactName}}. Your number is {{phone}}.',
  missedCallAutoMessageEnabled: true,
};

beforeEach(async () => {
  admin = await product.newOrganization();
  client = organizationsClient(product, admin);
  line = await newWebhookClient(product, admin, admin);
  callerNumber = newPhoneNumber();
  await arrange(client('update-business-hours', hours));
  await arrange(client('update-missed-call-message', message));
});

const preview = async (more: object = {}) =>
  expectStatus(await client('preview-missed-call', { at: open, callerNumber, ...more }), 200).data;
const policy = (body: object) => arrange(client('update-missed-call-policy', body));
const ada = () =>
  contactsClient(product, admin).created({
    ...{ firstName: 'Ada', lastName: 'Lovelace' },
    phoneNumbers: [{ value: callerNumber }],
  });

test('The preview shows an ADMIN the text that the contact with this number would get', async () => {
  await ada();
  expect(await preview()).toEqual({
    outcome: 'sent',
    reason: 'open',
    text: `Sorry we missed you, Ada Lovelace. Your number is ${callerNumber}.`,
  });
});

test('The preview of a number that nobody has is that of an unknown caller', async () => {
  expect(await preview({ at: closed })).toEqual({
    outcome: 'sent',
    reason: 'closed',
    text: `Sorry we missed you. Your number is ${callerNumber}.`,
  });
});

test('The preview says when a text would be sent that waits for the next opening', async () => {
  await policy({ sendWhen: 'business_hours', otherwise: 'at_opening' });
  expect(await preview({ at: closed })).toEqual({
    outcome: 'scheduled',
    reason: 'closed',
    text: expect.stringContaining('Sorry we missed you.'),
    at: '2026-11-30T09:00:00.000Z',
  });
});

test('The preview says why no text would be sent', async () => {
  const skipped = (reason: string) => ({ outcome: 'skipped', reason });
  await policy({ sendWhen: 'business_hours' });
  expect(await preview({ at: closed })).toEqual(skipped('closed'));
  await policy({ sendWhen: 'outside_business_hours' });
  expect(await preview()).toEqual(skipped('open'));
  for (const withheld of ['anonymous', 'Restricted', 'UNAVAILABLE', 'unknown']) {
    expect(await preview({ callerNumber: withheld })).toEqual(skipped('no_number'));
  }
  const phoneNumber = line.phoneNumber;
  await arrange(client('remove-phone-number', undefined, { phoneNumber }));
  expect(await preview({ at: closed })).toEqual(skipped('no_number'));
  await arrange(client('update-missed-call-message', { missedCallMessage: '{{contactName}}' }));
  expect(await preview({ at: closed })).toEqual(skipped('no_message'));
  await arrange(client('update-missed-call-message', { missedCallAutoMessageEnabled: false }));
  expect(await preview({ at: closed })).toEqual(skipped('switched_off'));
});

test('The preview respects the consent of the contact as it is now', async () => {
  await arrange(line.text({ From: callerNumber, Body: 'STOP' }));
  expect(await preview()).toEqual({ outcome: 'skipped', reason: 'opted_out' });
  await arrange(line.text({ From: callerNumber, Body: 'START' }));
  expect(await preview()).toMatchObject({ outcome: 'sent' });
});

test('The preview respects the cool-down of the number, and not of another one of the same contact', async () => {
  const { _id } = await ada();
  const { table } = product.tableOf(admin.organizationId);
  await table.commit([
    table.add(missedCallTextKey(_id, callerNumber), { callId: 'earlier', at: '2026-11-23T09:30:00.000Z' }),
  ]);
  expect(await preview()).toEqual({ outcome: 'skipped', reason: 'cooldown' });
  expect(await preview({ at: '2026-11-23T10:30:00Z' })).toMatchObject({ outcome: 'sent' });
  expect(await preview({ callerNumber: newPhoneNumber() })).toMatchObject({ outcome: 'sent' });
  await policy({ cooldownMinutes: 0 });
  expect(await preview()).toMatchObject({ outcome: 'sent' });
});

test('The preview says that the texts of the day are used up, and of another day that they are not', async () => {
  const superadmin = await product.newSuperadmin();
  const above = organizationsClient(product, superadmin, admin.organizationId);
  const limit = (dailyLimit: number) => arrange(above('update-text-settings', { dailyLimit }));
  await arrange(client('update-business-hours', { businessHours: null }));
  await limit(1);
  expect(await preview()).toMatchObject({ outcome: 'sent' });
  const record = () => product.call('record-missed-call', { token: admin.token, body: { callerNumber } });
  const { call } = await arrange(record());
  expect(call.missedCall.outcome).toBe('sent');
  callerNumber = newPhoneNumber();
  expect(await preview({ at: call.endTime })).toEqual({ outcome: 'skipped', reason: 'daily_limit' });
  expect(await preview({ at: new Date(Date.now() + 2 * day).toISOString() })).toMatchObject({
    outcome: 'sent',
  });
  await limit(2);
  expect(await preview({ at: call.endTime })).toMatchObject({ outcome: 'sent' });
  await limit(0);
  expect(await preview()).toEqual({ outcome: 'skipped', reason: 'daily_limit' });
});

test('The preview is about now if it names no time, and takes a number in any usual spelling', async () => {
  await ada();
  const spelled = callerNumber.replace('+', '00').replace(/(\d{4})$/, ' ($1)');
  const now = async () =>
    expectStatus(await client('preview-missed-call', { callerNumber: spelled }), 200).data;
  await arrange(client('update-business-hours', { businessHours: {} }));
  expect(await now()).toMatchObject({ reason: 'closed', text: expect.stringContaining('Ada Lovelace') });
  await arrange(client('update-business-hours', { businessHours: null }));
  expect(await now()).toMatchObject({ outcome: 'sent', reason: 'open' });
});

test.each([
  ['always', 'skip', 60],
  ['business_hours', 'skip', 60],
  ['business_hours', 'at_opening', 60],
  ['business_hours', 'at_opening', 0],
  ['outside_business_hours', 'at_opening', 60],
])(
  'The preview says what two missed calls then lead to, by the policy %s, %s, %i minutes',
  async (sendWhen, otherwise, cooldownMinutes) => {
    await policy({ sendWhen, otherwise, cooldownMinutes });
    // Open next at midnight of the day after tomorrow: neither a midnight nor a minute of this test makes a difference.
    const date = new Date(Date.now() + 2 * day).toISOString().slice(0, 10);
    const exceptionalHours = [{ date, closed: false, start: '00:00', end: '00:00', label: '' }];
    for (const businessHours of [{}, null]) {
      callerNumber = newPhoneNumber();
      await arrange(client('update-business-hours', { businessHours, exceptionalHours }));
      for (const which of ['first', 'second']) {
        const { outcome: expected, reason, text, at } = await preview({ at: new Date().toISOString() });
        const { call } = await arrange(
          product.call('record-missed-call', { token: admin.token, body: { callerNumber } }),
        );
        const { messageId, ...missedCall } = call.missedCall;
        expect(missedCall, which).toEqual({ outcome: expected, reason, ...(at && { sendAt: at }) });
        expect(await textOf(call.contactId, messageId), which).toBe(expected === 'sent' ? text : undefined);
      }
    }
  },
);

/** The text that a call names; undefined for one that names none. */
async function textOf(contactId: string, messageId: string | undefined): Promise<string | undefined> {
  const { token } = admin;
  const found = await product.call('list-conversations', { token, query: { contactId, channel: 'sms' } });
  const [conversation] = expectStatus(found, 200).data;
  if (conversation === undefined) {
    return undefined;
  }
  const path = { id: conversation._id };
  const { data } = expectStatus(await product.call('list-messages', { token, path }), 200);
  return data.find(({ _id }: { _id: string }) => _id === messageId)?.content;
}

test('The preview writes nothing', async () => {
  await ada();
  const rows = () => readRows(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', product.tableName);
  const before = await rows();
  await preview();
  expect(await rows()).toEqual(before);
});

test.each([
  [{ callerNumber: 'Ada' }, /^callerNumber must be an E\.164 phone number/],
  [{ callerNumber: null }, /^callerNumber /],
  [{ at: 'soon' }, /^at must be an ISO 8601 date or date-time$/],
  [{ at: '1969-12-31' }, /^at must not be before 1970$/],
])('The preview refuses %j', async (wrong, details) => {
  const body = { at: open, callerNumber, ...wrong };
  expect(outcome(await client('preview-missed-call', body))).toEqual(
    problem(400, 'Invalid request', expect.stringMatching(details)),
  );
});
