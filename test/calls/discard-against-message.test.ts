import { expect, test } from 'vitest';
import { lockHolder } from '../../shared/contact-aggregate/number-locks.ts';
import { phoneLockKey } from '../../shared/contacts/phone-numbers.ts';
import type { ApiResponse } from '../harness/call.ts';
import { readEvents } from '../harness/events.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { type CallRecord, callsClient } from './client.ts';
import { callsIn, expectConsistent, messagesIn } from './consistency.ts';
import { everyTurns, interleaved, type Schedule } from './interleaved.ts';

const { product, admin, rep } = await setUpTenants();
const calls = callsClient(product, rep);
/** To which the messages come. */
const webhook = await newWebhookClient(product, admin, rep);
const table = setUpFaultyTable();

/** A run sends about seven requests. */
const schedules = everyTurns([1, 2, 3, 4, 5, 6, 7]);

interface Outcome {
  readonly call: CallRecord;
  readonly discarded: ApiResponse;
  readonly received: ApiResponse;
}

async function raced(schedule: Schedule): Promise<Outcome> {
  const number = newPhoneNumber();
  const call = await calls.answered(number);
  const [discarded, received] = await interleaved(table, schedule, [
    () => calls.discard(call._id, { contactId: call.contactId, deleteContact: true }),
    () => webhook.text({ From: number, Body: 'Hello?' }),
  ]);
  return { call, discarded, received };
}

const outcomes: Outcome[] = [];
const { length } = schedules;
const isKept = ({ call, received }: Outcome) => received.body.data.contactId === call.contactId;

for (const schedule of schedules) {
  outcomes.push(await raced(schedule));
}

test('A discard and an arriving message both get 200, in 100 interleavings', () => {
  expect(outcomes).toHaveLength(100);
  for (const { discarded, received } of outcomes) {
    expect([discarded.status, received.status]).toEqual([200, 200]);
    expect(received.body.data.duplicate).toBe(false);
  }
});

test('A discard and an arriving message go both ways: the contact stays for the sake of the message, or the message makes a new one', () => {
  const kept = outcomes.filter(isKept).length;
  expect(kept).toBeGreaterThan(20);
  expect(length - kept).toBeGreaterThan(20);
  // Each of them is the one to come too late, at times, and looks again.
  const most = (side: 'discarded' | 'received') =>
    Math.max(...outcomes.map((outcome) => outcome[side].consumed?.requests ?? 0));
  expect(most('discarded')).toBeGreaterThan(7);
  expect(most('received')).toBeGreaterThan(8);
});

test('A discard and an arriving message lose no message, and leave no orphan: of the other contact nothing, of the call nothing', async () => {
  const records = await expectConsistent(product, admin);
  const { table: stored } = product.tableOf(admin.organizationId);
  const owned = Map.groupBy(
    [...records.keys()].filter((keyText) => keyText.startsWith('CONTACT#')),
    (keyText) => keyText.slice('CONTACT#'.length, keyText.indexOf(' ')),
  );
  for (const outcome of outcomes) {
    const { call, received } = outcome;
    const { messageId, conversationId, contactId } = received.body.data;
    expect(lockHolder(await stored.read(phoneLockKey(call.from ?? '')))).toBe(contactId);
    expect(owned.get(contactId)?.map((keyText) => keyText.slice(keyText.indexOf(' ') + 1))).toEqual([
      'CONTACT',
      `CONVERSATION#${conversationId}`,
      `MESSAGE#${conversationId}#${messageId}`,
    ]);
    if (!isKept(outcome)) {
      expect(owned.get(call.contactId)).toBeUndefined();
    }
  }
  expect(callsIn(records)).toEqual([]);
  expect(messagesIn(records)).toHaveLength(length);
});

test('A discard and an arriving message report that a contact is gone when it is, and only then', async () => {
  const removed = (await readEvents(product, admin.organizationId))
    .filter(({ event }) => event === 'contact_removed')
    .map(({ data }) => data.contactId);
  expect(removed.sort()).toEqual(
    outcomes
      .filter((outcome) => !isKept(outcome))
      .map(({ call }) => call.contactId)
      .sort(),
  );
});

test('A discard and an arriving message leave the number usable: the next call finds the contact of the message', async () => {
  for (const { call, received } of outcomes) {
    const next = await calls.answered(call.from ?? '');
    expect(next.contactId).toBe(received.body.data.contactId);
  }
  expect(callsIn(await expectConsistent(product, admin))).toHaveLength(length);
});

const everyThird = schedules.filter((_, index) => index % 3 === 0);

test.each([
  ['the contact goes, or stays for the sake of the call', true],
  ['the voice conversation goes, or stays for the sake of the call', false],
])(
  'A call that arrives during a discard has contact and conversation in 34 interleavings: %s',
  async (_, deleteContact) => {
    let kept = 0;
    for (const schedule of everyThird) {
      const number = newPhoneNumber();
      const first = await calls.answered(number);
      const [discarded, answered] = await interleaved(table, schedule, [
        () => calls.discard(first._id, { contactId: first.contactId, deleteContact }),
        () => calls.answer(number),
      ]);
      expect([discarded.status, answered.status]).toEqual([200, 201]);
      const { contactId, conversationId } = answered.body.call as CallRecord;
      expect(await calls.ids({ contactId })).toEqual([answered.body.call._id]);
      const isKept = conversationId === first.conversationId;
      expect(contactId === first.contactId).toBe(isKept || !deleteContact);
      kept += isKept ? 1 : 0;
    }
    expect(everyThird).toHaveLength(34);
    expect(kept).toBeGreaterThan(5);
    expect(kept).toBeLessThan(29);
    await expectConsistent(product, admin);
  },
);
