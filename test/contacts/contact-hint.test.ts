import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';
import { after, day, epochSeconds } from '../../shared/kernel/time.ts';
import { digestOf } from '../../shared/table/digest.ts';
import { firstCall } from '../bench/first-call.ts';
import { eventOf } from '../bench/kernel.ts';
import { newCallSid } from '../calls/reports.ts';
import type { Call } from '../harness/call.ts';
import { setUpFaultyTable, setUpWorld } from '../harness/fixtures.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/world.ts';
import { newSid, newWebhookClient } from '../messages/webhook-client.ts';
import { leadsClient } from '../outreach/leads-client.ts';

const table = setUpFaultyTable();
const world = await setUpWorld();
const { product, admin, rep, foreigner } = world;
afterEach(() => table.clear());

const path = { provider: 'twilio' };
const folders = { 'receive-sms': 'messages', 'receive-call': 'calls', 'receive-lead': 'outreach' } as const;
type Webhook = keyof typeof folders;

/** Sends a request to a process that has just started; what it responds, in how many round trips. */
async function toNewProcess(name: Webhook, request: Call) {
  const file = join(projectRoot, 'functions', folders[name], `${name}.ts`);
  const resources = { secret: product.secret, assets: {} };
  const environment = { TABLE_NAME: product.tableName, NEWCOMER_POLICY: 'open' };
  const { status, body, consumed } = await firstCall(
    { name, file, event: eventOf(request), resources },
    environment,
  );
  expect(status).toBe(200);
  return { data: JSON.parse(body).data, ...consumed };
}

const send = (name: Webhook, request: Call) => arrange(product.call(name, request));

/** A number of `rep`, and the requests of its provider. */
async function newLine() {
  const { phoneNumber: To } = await newWebhookClient(product, admin, rep);
  return {
    To,
    text: (From: string) => ({ path, body: { MessageSid: newSid(), From, To, Body: 'Hello' } }),
    report: (From: string, CallStatus: string, CallSid = newCallSid()) => ({
      path,
      body: { CallSid, From, To, Direction: 'inbound', CallStatus },
    }),
  };
}

async function newContact() {
  const value = newPhoneNumber();
  const { _id } = await world.newContact({ phoneNumbers: [{ value }] });
  return { _id, value };
}

type Item = Record<string, { S?: string }>;

const isHint = ({ pk }: Item) => pk?.S?.includes('#CONTACT_HINT#') ?? false;

test('A process that has just started takes three round trips for a text of somebody who wrote to the number before', async () => {
  const { text } = await newLine();
  const { _id, value } = await newContact();
  await send('receive-sms', text(value));
  const { data, roundTrips } = await toNewProcess('receive-sms', text(value));
  expect([data.contactId, roundTrips]).toEqual([_id, 3]);
});

test.each(['ringing', 'no-answer'])(
  'A process that has just started takes three round trips for a call that is %s, of somebody who called the number before',
  async (CallStatus) => {
    const { report } = await newLine();
    const { _id, value } = await newContact();
    await send('receive-call', report(value, CallStatus));
    const { data, roundTrips } = await toNewProcess('receive-call', report(value, CallStatus));
    expect([data.contactId, roundTrips]).toEqual([_id, 3]);
  },
);

test('A text tells who calls, and a call who writes', async () => {
  const { text, report } = await newLine();
  const [one, other] = [await newContact(), await newContact()];
  await send('receive-sms', text(one.value));
  await send('receive-call', report(other.value, 'ringing'));
  expect((await toNewProcess('receive-call', report(one.value, 'ringing'))).roundTrips).toBe(3);
  expect((await toNewProcess('receive-sms', text(other.value))).roundTrips).toBe(3);
});

test.each(['in-progress', 'completed', 'no-answer'])(
  'A process that has just started takes three round trips for a further report of a call, %s',
  async (CallStatus) => {
    const { report } = await newLine();
    const [From, CallSid] = [newPhoneNumber(), newCallSid()];
    const first = expectStatus(await product.call('receive-call', report(From, 'ringing', CallSid)), 200);
    const { data, roundTrips } = await toNewProcess('receive-call', report(From, CallStatus, CallSid));
    expect([data.callId, roundTrips]).toEqual([first.data.callId, 3]);
  },
);

test('A process that has just started takes three round trips for a missed call of an unknown number', async () => {
  const { report } = await newLine();
  const { data, roundTrips } = await toNewProcess('receive-call', report(newPhoneNumber(), 'no-answer'));
  expect([data.missed, roundTrips]).toEqual([true, 3]);
});

test('A process that has just started takes three round trips for a lead of somebody who came by the configuration before', async () => {
  const { _id: configurationId } = await leadsClient(product, admin).configure();
  const { _id, value: phoneNumber } = await newContact();
  const lead = (firstName: string) => ({
    body: { configurationId, phoneNumber, firstName, lastName: 'Lovelace' },
  });
  await send('receive-lead', lead('Ada'));
  const { data, roundTrips } = await toNewProcess('receive-lead', lead('Grace'));
  expect([data.contactId, roundTrips]).toEqual([_id, 3]);
});

test('What says who wrote last is written once', async () => {
  const { text } = await newLine();
  const { value } = await newContact();
  const units = [];
  for (let count = 0; count < 4; count += 1) {
    units.push((await product.call('receive-sms', text(value))).consumed?.writeUnits ?? 0);
  }
  const [, second = 0, ...later] = units;
  expect(later).toEqual([second, second]);
});

test('What says who wrote last has neither number nor name, and expires after 30 days', async () => {
  const { To, text } = await newLine();
  const { value } = await newContact();
  table.clear();
  const at = new Date();
  await arrange(product.call('receive-sms', { ...text(value), at }));
  const [stored, ...others] = table
    .tries('TransactWriteItemsCommand')
    .flatMap(({ TransactItems }) => TransactItems as { Put?: { Item: Item } }[])
    .flatMap(({ Put }) => (Put !== undefined && isHint(Put.Item) ? [Put.Item] : []));
  expect(others).toEqual([]);
  expect(stored?.expiresAt).toEqual({ N: String(epochSeconds(after(at, 30 * day))) });
  for (const part of [To.slice(1), value.slice(1), 'Lovelace']) {
    expect(JSON.stringify(stored)).not.toContain(part);
  }
});

test('A text is received even if it cannot be read who wrote last', async () => {
  const { text } = await newLine();
  const { _id, value } = await newContact();
  let refusals = 0;
  table.always('GetItemCommand', async (sendOn, input) => {
    if (isHint(input?.Key as Item)) {
      refusals += 1;
      throw Object.assign(new Error('Not authorized'), {
        name: 'AccessDeniedException',
        $metadata: { httpStatusCode: 400 },
      });
    }
    return sendOn();
  });
  const { data } = expectStatus(await product.call('receive-sms', text(value)), 200);
  expect([data.contactId, refusals]).toEqual([_id, 1]);
});

test('A text comes to the contact that has the number now, whoever had it when it was last used', async () => {
  const { text } = await newLine();
  const [former, next] = [await newContact(), await newContact()];
  const { value } = former;
  await send('receive-sms', text(value));
  const update = (id: string, phoneNumbers: object[]) =>
    arrange(product.call('update-contact', { token: rep.token, path: { id }, body: { phoneNumbers } }));
  await update(former._id, []);
  await update(next._id, [{ value: next.value }, { value }]);
  const { data } = await toNewProcess('receive-sms', text(value));
  expect(data.contactId).toBe(next._id);
  expect((await toNewProcess('receive-sms', text(value))).roundTrips).toBe(3);
});

test('A text of a deleted contact comes to a new one', async () => {
  const { text, report } = await newLine();
  const { _id, value } = await newContact();
  await send('receive-sms', text(value));
  await arrange(product.call('delete-contact', { token: rep.token, path: { id: _id } }));
  const { data } = await toNewProcess('receive-sms', text(value));
  expect(data.contactId).not.toBe(_id);
  const call = await toNewProcess('receive-call', report(value, 'ringing'));
  expect(call.data.contactId).toBe(data.contactId);
});

test('A text comes to the contact that gets the number while the one that had it is being read', async () => {
  const { text } = await newLine();
  const [former, next] = [await newContact(), await newContact()];
  const { value } = former;
  // This process has not seen the number of the organization, so it reads lock and contact at once.
  await toNewProcess('receive-sms', text(value));
  const update = (id: string, phoneNumbers: object[]) =>
    arrange(product.call('update-contact', { token: rep.token, path: { id }, body: { phoneNumbers } }));
  let isMoved = false;
  // The contact that wrote last is read before the number moves, the lock after that.
  table.always('GetItemCommand', async (sendOn, input) => {
    const { pk } = (input?.Key ?? {}) as Record<string, { S: string }>;
    if (!isMoved && pk?.S.endsWith(`#PHONE#${digestOf(value)}`)) {
      isMoved = true;
      await update(former._id, []);
      await update(next._id, [{ value: next.value }, { value }]);
    }
    return sendOn();
  });
  const { data } = expectStatus(await product.call('receive-sms', text(value)), 200);
  expect(isMoved).toBe(true);
  expect(data.contactId).toBe(next._id);
});

test('The contact of an organization that had the number before is not read', async () => {
  const { To, text } = await newLine();
  const { _id, value } = await newContact();
  await send('receive-sms', text(value));
  await send('receive-sms', text(value));
  const { organizationId, token } = admin;
  const number = { organizationId, phoneNumber: To };
  await arrange(product.call('remove-phone-number', { token, path: number }));
  await newWebhookClient(product, foreigner, foreigner, { phoneNumber: To });
  table.clear();
  const { data } = expectStatus(await product.call('receive-sms', text(value)), 200);
  expect(data.contactId).not.toBe(_id);
  const keys = [
    ...table.tries('GetItemCommand').map(({ Key }) => (Key as { pk: { S: string } }).pk.S),
    ...table
      .tries('QueryCommand')
      .map((input) => (input.ExpressionAttributeValues as { ':pk': { S: string } })[':pk'].S),
  ];
  expect(keys.length).toBeGreaterThan(5);
  expect(keys.filter((key) => key.startsWith(`ORG#${organizationId}#CONTACT#`))).toEqual([]);
});
