import { expect, test } from 'vitest';
import { advanceRun } from '../../functions/workflows/model/runs/advance-run.ts';
import { day, hour, minute, after as plus } from '../../shared/kernel/time.ts';
import type { Call } from '../harness/call.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { inARow, prepareRuns } from './advancing.ts';
import { graphWith, manual, simulationsIn } from './simulating.ts';

// Whatever the graphs of an organization say, its workflows together send one number at most 5 texts an hour and 20 a day.

const tenants = await setUpTenants();
const { product, admin, rep, newContact } = tenants;
const runs = await prepareRuns(tenants);
await newWebhookClient(product, admin, rep, { isDefault: true });
const { simulated } = simulationsIn(tenants);

const call = async (name: string, more: Call = {}) =>
  (await arrange(product.call(name, { token: rep.token, ...more }))).data;
const hello = { type: 'sendMessage', data: { content: 'Hello' } };
const greeting = await runs.newWorkflow(inARow([hello]));

/** A contact with a number, and the texts that have been queued for it. */
async function newRecipient(value = newPhoneNumber()) {
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value }] });
  return {
    contactId,
    number: value,
    texts: async () => {
      const { data } = await arrange(
        product.call('list-conversations', { token: rep.token, query: { contactId } }),
      );
      const [conversation] = data;
      return conversation === undefined
        ? []
        : ((await call('list-messages', { path: { id: conversation._id } })) as unknown[]);
    },
  };
}

/** What becomes of the only step of a run for this contact. */
async function greeted(contactId: string, at = new Date()): Promise<string | undefined> {
  const runId = await runs.start(greeting, contactId, { at });
  await runs.advance(runId, at);
  const [, step] = await runs.stepRecords(runId);
  return step?.reason ?? step?.status;
}

test('A step that leads back to itself sends a number five texts, however often it is taken', async () => {
  const { contactId, texts } = await newRecipient();
  const graph = graphWith({ trigger: manual, hello }, ['trigger hello', 'hello hello']);
  const runId = await runs.start(await runs.newWorkflow(graph), contactId);
  const { stepRecords } = await advanceRun(runs.contextAt(new Date()), runId, { steps: 25, time: hour });
  expect(await texts()).toHaveLength(5);
  const outcomes = stepRecords.slice(1).map(({ reason, status }) => reason ?? status);
  expect(outcomes).toEqual([
    ...Array.from({ length: 5 }, () => 'passed'),
    ...Array.from({ length: 19 }, () => 'rate_of_contact'),
  ]);
});

test('Twelve workflows that text a number at the same moment send it five texts', async () => {
  const { contactId, texts } = await newRecipient();
  const outcomes = await Promise.all(Array.from({ length: 12 }, () => greeted(contactId)));
  // What meets too many others is tried again by the queue.
  const again = outcomes.filter((outcome) => outcome === undefined);
  for (const _ of again) {
    outcomes.push(await greeted(contactId));
  }
  expect(outcomes.filter((outcome) => outcome === 'passed')).toHaveLength(5);
  expect(await texts()).toHaveLength(5);
});

test('The hour and the day move on with the clock: one more text for each that is an hour old, until there were twenty in a day', async () => {
  const { contactId } = await newRecipient();
  const begin = new Date();
  const at = (minutes: number) => greeted(contactId, plus(begin, minutes * minute));
  const outcomes = [];
  for (let minutes = 0; minutes < 6; minutes += 1) {
    outcomes.push(await at(minutes));
  }
  expect(outcomes).toEqual([...Array.from({ length: 5 }, () => 'passed'), 'rate_of_contact']);
  expect(await at(59)).toBe('rate_of_contact');
  expect(await at(60)).toBe('passed');
  expect(await at(60.5)).toBe('rate_of_contact');
  for (let count = 0; count < 14; count += 1) {
    expect(await at(120 + 20 * count)).toBe('passed');
  }
  expect(await at(10 * 60)).toBe('rate_of_contact');
  expect(await greeted(contactId, plus(begin, day - 1))).toBe('rate_of_contact');
  expect(await greeted(contactId, plus(begin, day))).toBe('passed');
  expect(await greeted(contactId, plus(begin, day + minute - 1))).toBe('rate_of_contact');
  expect(await greeted(contactId, plus(begin, day + 10 * hour))).toBe('passed');
});

test('A number that has got its texts gets no more of them as that of another contact, in its other notation', async () => {
  const digits = newPhoneNumber().slice(-7);
  const first = await newRecipient(`+52155${digits}1`);
  for (let count = 0; count < 5; count += 1) {
    expect(await greeted(first.contactId)).toBe('passed');
  }
  await call('delete-contact', { path: { id: first.contactId } });
  const second = await newRecipient(`+5255${digits}1`);
  expect(await greeted(second.contactId)).toBe('rate_of_contact');
  const other = await newRecipient();
  expect(await greeted(other.contactId)).toBe('passed');
});

test('Texts that people send neither count nor are refused', async () => {
  const { contactId, texts } = await newRecipient();
  const byHand = () => call('send-message', { body: { contactId, content: 'By hand' } });
  for (let count = 0; count < 6; count += 1) {
    await byHand();
  }
  for (let count = 0; count < 6; count += 1) {
    expect(await greeted(contactId)).toBe(count < 5 ? 'passed' : 'rate_of_contact');
  }
  await byHand();
  expect(await texts()).toHaveLength(12);
});

test('A simulation shows which texts would not be sent, and counts none', async () => {
  const { contactId } = await newRecipient();
  const graph = graphWith(
    Object.fromEntries([
      ['trigger', manual],
      ...Array.from({ length: 6 }, (_, index) => [`n${index}`, hello]),
    ]),
    ['trigger n0', ...Array.from({ length: 5 }, (_, index) => `n${index} n${index + 1}`)],
  );
  for (const _ of [1, 2]) {
    const { path } = await simulated(graph, { contactId });
    expect(path.map(({ reason, status }: Record<string, string>) => reason ?? status)).toEqual([
      ...Array.from({ length: 6 }, () => 'passed'),
      'rate_of_contact',
    ]);
  }
  expect(await greeted(contactId)).toBe('passed');
});
