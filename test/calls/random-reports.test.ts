import { expect, test } from 'vitest';
import { missedCallMessage } from '../../shared/organizations/missed-call-message.ts';
import { readEvents } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { randomness } from '../harness/randomness.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { callsClient } from './client.ts';
import { callsIn, contactsIn, expectConsistent, messagesIn } from './consistency.ts';
import { newCallSid, newVoiceClient } from './reports.ts';

// 120 inbound calls of which the provider reports anything, and which their user answers and ends meanwhile.

const product = await setUpProduct();
const admin = await product.newOrganization();
const voice = await newVoiceClient(product, admin, admin);
const calls = callsClient(product, admin);
const { table } = product.tableOf(admin.organizationId);
await table.commit([
  table.add(missedCallMessage.key, {
    missedCallMessage: 'Sorry we missed you.',
    missedCallAutoMessageEnabled: true,
  }),
]);

const { below, chance } = randomness(16);
const one = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;

const statusOf = {
  queued: 'initiated',
  initiated: 'initiated',
  ringing: 'ringing',
  'in-progress': 'answered',
  completed: 'completed',
  busy: 'busy',
  'no-answer': 'no-answer',
  canceled: 'canceled',
  failed: 'failed',
} as const;
type Word = keyof typeof statusOf;
const words = Object.keys(statusOf) as Word[];
const endings = ['completed', 'no-answer', 'busy', 'failed', 'canceled', 'voicemail'] as const;
const endingsOfAnswered: readonly string[] = ['completed', 'failed', 'voicemail'];

type Act =
  | { by: 'provider'; word: Word; from?: string; recording?: string }
  | { by: 'user'; end?: (typeof endings)[number] };

function act(): Act {
  if (chance(0.3)) {
    return { by: 'user', ...(chance(0.5) && { end: one(endings) }) };
  }
  return {
    by: 'provider',
    // More of what leaves something to happen.
    word: chance(0.5) ? one(['queued', 'initiated', 'ringing', 'in-progress'] as const) : one(words),
    ...(chance(0.2) && { from: one(['anonymous', newPhoneNumber()]) }),
    ...(chance(0.2) && { recording: `https://api.twilio.com/RE${below(3)}` }),
  };
}

interface Model {
  status: string;
  isAnswered: boolean;
  recordings: string[];
}

const stages = ['initiated', 'ringing', 'answered'];
const stageOf = (status: string) => (stages.includes(status) ? stages.indexOf(status) : stages.length);
const hasEnded = ({ status }: Model) => stageOf(status) === stages.length;

/** What a call becomes; undefined for what is refused. */
function acted(model: Model, oneAct: Act): Model | undefined {
  if (oneAct.by === 'provider') {
    const { word, recording } = oneAct;
    const { recordings } = model;
    const kept =
      recording === undefined || recordings.includes(recording) ? recordings : [...recordings, recording];
    const next = { ...model, recordings: kept };
    const status = statusOf[word];
    if (stageOf(status) <= stageOf(model.status)) {
      return next;
    }
    if (stageOf(status) < stages.length || !model.isAnswered) {
      return { ...next, status, isAnswered: status === 'answered' || status === 'completed' };
    }
    return { ...next, status: endingsOfAnswered.includes(status) ? status : 'completed' };
  }
  const { end } = oneAct;
  if (hasEnded(model)) {
    return model.status === end ? model : undefined;
  }
  if (end === undefined) {
    return { ...model, status: 'answered', isAnswered: true };
  }
  const canFollow = !model.isAnswered || endingsOfAnswered.includes(end);
  return canFollow
    ? { ...model, status: end, isAnswered: model.isAnswered || end === 'completed' }
    : undefined;
}

const plans = Array.from({ length: 120 }, (_, index) => ({
  isAtOnce: index % 3 === 0,
  fields: { CallSid: newCallSid(), From: newPhoneNumber() },
  acts: Array.from({ length: 3 + below(5) }, act),
}));

async function carriedOut({ fields, acts, isAtOnce }: (typeof plans)[number]) {
  const { callId } = (await voice.report({ ...fields, CallStatus: 'initiated' })).body.data;
  const carryOut = async (oneAct: Act) => {
    if (oneAct.by === 'provider') {
      const { word: CallStatus, from: From = fields.From, recording: RecordingUrl } = oneAct;
      return (await voice.report({ ...fields, From, CallStatus, RecordingUrl })).status;
    }
    const { end: status } = oneAct;
    return (await (status === undefined ? calls.take(callId) : calls.end(callId, { status }))).status;
  };
  if (isAtOnce) {
    return { callId, statuses: await Promise.all(acts.map(carryOut)) };
  }
  const statuses = [];
  for (const oneAct of acts) {
    statuses.push(await carryOut(oneAct));
  }
  return { callId, statuses };
}

const results: Awaited<ReturnType<typeof carriedOut>>[] = [];
for (let index = 0; index < plans.length; index += 20) {
  results.push(...(await Promise.all(plans.slice(index, index + 20).map(carriedOut))));
}
const records = await expectConsistent(product, admin);
const stored = new Map(callsIn(records).map((call) => [call._id, call]));
const events = await readEvents(product, admin.organizationId);

test('A call that is reported and changed step by step is what a simple model says', () => {
  for (const [index, { fields, acts, isAtOnce }] of plans.entries()) {
    const { callId, statuses } = results[index] ?? { callId: '', statuses: [] };
    if (!isAtOnce) {
      let model: Model = { status: 'initiated', isAnswered: false, recordings: [] };
      const expected = acts.map((oneAct) => {
        const next = acted(model, oneAct);
        model = next ?? model;
        return next === undefined ? 409 : 200;
      });
      const { status, answerTime, recordings, from } = stored.get(callId) ?? { recordings: [] };
      expect({ acts, statuses, from, status, isAnswered: answerTime !== undefined, recordings }).toEqual({
        ...{ acts, statuses: expected, from: fields.From },
        ...{ status: model.status, isAnswered: model.isAnswered },
        recordings: model.recordings.map((url) => ({ url, createdAt: expect.any(String) })),
      });
    }
  }
});

test('Whatever comes at once: the events of a call are in order, it ends once, and its caller gets one text if it was missed', () => {
  expect([stored.size, contactsIn(records).length]).toEqual([plans.length, plans.length]);
  for (const { callId, statuses } of results) {
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    const { answerTime, endTime, contactId } = stored.get(callId) ?? {};
    const told = events.filter(({ data }) => data.callId === callId);
    const count = (name: string) => told.filter(({ event }) => event === name).length;
    const isMissed = endTime !== undefined && answerTime === undefined;
    expect(['call_initiated', 'call_answered', 'call_ended', 'call_missed'].map(count)).toEqual(
      [true, answerTime !== undefined, endTime !== undefined, isMissed].map(Number),
    );
    const progress = told.map(({ data }) => stageOf((data.call as { status: string }).status));
    expect(progress).toEqual(progress.toSorted());
    const texts = messagesIn(records).filter((message) => message.contactId === contactId);
    expect(texts).toHaveLength(isMissed ? 1 : 0);
  }
});
