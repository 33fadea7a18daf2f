import { expect, test } from 'vitest';
import { missedCallMessage } from '../../shared/organizations/missed-call-message.ts';
import { eventsOf } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { type Randomness, randomness } from '../harness/randomness.ts';
import { newPhoneNumber, statusesOf } from '../harness/world.ts';
import type { CallRecord } from './client.ts';
import { callsIn, contactsIn, expectConsistent, messagesIn } from './consistency.ts';
import { newCallSid, newVoiceClient } from './reports.ts';

// 200 calls, whose provider reports in any order, each report once or more, one after the other or all at once.

const product = await setUpProduct();
const admin = await product.newOrganization();
const voice = await newVoiceClient(product, admin, admin);
const { table } = product.tableOf(admin.organizationId);
await table.commit([
  table.add(missedCallMessage.key, {
    missedCallMessage: 'Sorry we missed you.',
    missedCallAutoMessageEnabled: true,
  }),
]);

const lives = {
  answered: ['initiated', 'ringing', 'in-progress', 'completed'],
  missed: ['initiated', 'ringing', 'no-answer'],
} as const;

const random = randomness(2026);

/** All of them at least once, some more often, in any order. */
function shuffled(statuses: readonly string[], { below, next }: Randomness): string[] {
  const repeated = Array.from({ length: below(2) }, () => statuses[below(statuses.length)] ?? '');
  return [...statuses, ...repeated]
    .map((status) => ({ status, order: next() }))
    .sort((one, other) => one.order - other.order)
    .map(({ status }) => status);
}

const plans = Array.from({ length: 200 }, (_, index) => {
  const life = index % 2 === 0 ? ('answered' as const) : ('missed' as const);
  return {
    life,
    isAtOnce: index % 4 > 1,
    fields: { CallSid: newCallSid(), From: newPhoneNumber() },
    statuses: shuffled(lives[life], random),
  };
});

const stages = ['initiated', 'ringing', 'answered'];
const stageOf = (status: string) => (stages.includes(status) ? stages.indexOf(status) : stages.length);

/** What the answers to the reports of a call said, in the order in which they came. */
async function carriedOut({ fields, statuses, isAtOnce }: (typeof plans)[number]) {
  const report = (CallStatus: string) => voice.report({ ...fields, CallStatus });
  if (isAtOnce) {
    return Promise.all(statuses.map(report));
  }
  const responses = [];
  for (const status of statuses) {
    responses.push(await report(status));
  }
  return responses;
}

const outcomes: Awaited<ReturnType<typeof carriedOut>>[] = [];
for (let index = 0; index < plans.length; index += 20) {
  outcomes.push(...(await Promise.all(plans.slice(index, index + 20).map(carriedOut))));
}
const places = await expectConsistent(product, admin);
const events = await eventsOf(product, admin.organizationId);

test('200 interleavings of reports: each report is 200', () => {
  expect(statusesOf(outcomes.flat())).toEqual({ 200: plans.flatMap(({ statuses }) => statuses).length });
});

test('200 interleavings of reports make 200 calls of 200 contacts, each as it was', () => {
  const calls = new Map(callsIn(places).map((call) => [call.from, call]));
  expect(calls.size).toBe(200);
  expect(callsIn(places)).toHaveLength(200);
  expect(contactsIn(places)).toHaveLength(200);
  for (const { fields, life } of plans) {
    const call = calls.get(fields.From);
    expect([call?.status, call?.answerTime !== undefined]).toEqual(
      life === 'answered' ? ['completed', true] : ['no-answer', false],
    );
  }
});

test('200 interleavings of reports: no call ever goes back, neither in responses nor in events', () => {
  for (const [index, { isAtOnce }] of plans.entries()) {
    const seen = (outcomes[index] ?? []).map(({ body }) => stageOf(body.data.status));
    if (!isAtOnce) {
      expect(seen).toEqual(seen.toSorted());
    }
  }
  const told = Map.groupBy(
    events.filter(({ event }) => event.startsWith('call_')),
    ({ data }) => data.callId,
  );
  expect(told.size).toBe(200);
  for (const list of told.values()) {
    const progress = list.map(({ data }) => stageOf((data.call as CallRecord).status));
    expect(progress).toEqual(progress.toSorted());
  }
});

test('200 interleavings of reports: each missed call is emitted once, and its caller gets one text', () => {
  const namesOf = (contactId: string) =>
    events.filter(({ data }) => data.contactId === contactId).map(({ event }) => event);
  for (const { contactId, answerTime, missedCall, ...call } of callsIn(places)) {
    const names = namesOf(contactId);
    const count = (name: string) => names.filter((one) => one === name).length;
    const isMissed = answerTime === undefined ? 1 : 0;
    expect({
      ended: count('call_ended'),
      answered: count('call_answered'),
      missed: count('call_missed'),
      texts: count('message_created'),
    }).toEqual({ ended: 1, answered: 1 - isMissed, missed: isMissed, texts: isMissed });
    const messages = messagesIn(places).filter((message) => message.contactId === contactId);
    expect(messages.map(({ _id, content }) => ({ _id, content }))).toEqual(
      isMissed ? [{ _id: missedCall?.messageId, content: 'Sorry we missed you.' }] : [],
    );
    expect(call.status).toBe(isMissed ? 'no-answer' : 'completed');
  }
});
