import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Message } from '../../shared/conversations/conversation.ts';
import type { ApiResponse } from '../harness/call.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { newRun } from '../workflows/runs-client.ts';
import { writeMessages } from './separation.ts';

const tenants = await setUpTenants();
const { product, admin, rep, newContact } = tenants;

const make = async (
  { token }: Person,
  name: string,
  body: Record<string, unknown>,
): Promise<ApiResponse['body']> => expectStatus(await product.call(name, { token, body }), 201);
const separation = (id: string) => product.call('read-separation-data', { token: admin.token, path: { id } });

/** A contact of `rep` with a text conversation; their ids. */
async function newConversation(): Promise<{ contactId: string; conversationId: string }> {
  const { _id: contactId } = await newContact();
  const { data } = await make(rep, 'send-message', { contactId, content: 'Hello' });
  return { contactId, conversationId: data.conversationId };
}

test('The separation data of a contact are {success: true, data: {contact, conversations[], applications[], contactNotes[], reminders[], trainingSnapshots[], calls[], workflowRuns[], conversationMessages{}}}', async () => {
  const { contactId, conversationId } = await newConversation();
  const note = (await make(rep, 'create-note', { contactId, note: 'A note' })).data;
  const application = (await make(rep, 'create-application', { contactId, name: 'An application' })).data;
  const reminder = (
    await make(rep, 'create-reminder', { contactId, note: 'A reminder', remindAt: '2027-01-01' })
  ).data;
  const about = { contactId, conversationId, quality: 'bad' };
  const snapshot = (await make(rep, 'create-training-snapshot', about)).data;
  const { phoneNumbers } = expectStatus(await separation(contactId), 200).data.contact;
  const call = (await make(rep, 'answer-inbound-call', { callerNumber: phoneNumbers[0].value })).call;
  const event = { contactId, at: '2026-11-20T09:00:00.000Z', text: 'Is the flat still free?' };
  const { _id: runId } = await newRun(tenants, { contactId, event });
  const read = (name: string, id: string) => product.call(name, { token: rep.token, path: { id } });
  const contact = expectStatus(await read('read-contact', contactId), 200).data;
  const run = expectStatus(await read('read-workflow-run', runId), 200).data;
  expect(run.steps.length).toBeGreaterThan(1);
  const conversation = expectStatus(await read('read-conversation', conversationId), 200).data;
  const voice = expectStatus(await read('read-conversation', call.conversationId), 200).data;
  const messages = expectStatus(await read('list-messages', conversationId), 200).data;

  expect(outcome(await separation(contactId))).toEqual({
    status: 200,
    body: {
      success: true,
      data: {
        contact,
        conversations: [voice, conversation],
        applications: [application],
        contactNotes: [note],
        reminders: [reminder],
        trainingSnapshots: [snapshot],
        calls: [call],
        workflowRuns: [{ ...run, event }],
        conversationMessages: { [conversationId]: messages, [voice._id]: [] },
      },
    },
  });
});

test('The separation data of a contact that owns nothing are empty lists', async () => {
  const { _id } = await newContact();
  const { data } = expectStatus(await separation(_id), 200);
  expect({ ...data, contact: data.contact._id }).toEqual({
    contact: _id,
    conversations: [],
    applications: [],
    contactNotes: [],
    reminders: [],
    trainingSnapshots: [],
    calls: [],
    workflowRuns: [],
    conversationMessages: {},
  });
});

test('The separation data of a contact have every array newest first, and messages oldest first', async () => {
  const { contactId, conversationId } = await newConversation();
  const { phoneNumbers } = expectStatus(await separation(contactId), 200).data.contact;
  const at = (second: number) => new Date(Date.now() + second * 1_000);
  const made = async (second: number, name: string, more: Record<string, unknown> = {}) => {
    const body = { contactId, ...more };
    return expectStatus(await product.call(name, { token: rep.token, at: at(second), body }), 201).data._id;
  };
  const body = { callerNumber: phoneNumbers[0].value };
  const answered = async (second: number) =>
    expectStatus(await product.call('answer-inbound-call', { token: rep.token, at: at(second), body }), 201)
      .call;
  const rounds = [];
  for (const second of [1, 2, 3]) {
    rounds.push({
      contactNotes: await made(second, 'create-note', { note: `${second}` }),
      applications: await made(second, 'create-application', { name: `${second}` }),
      // What a reminder is for says nothing of when it was made.
      reminders: await made(second, 'create-reminder', { note: 'Call', remindAt: `203${9 - second}-01-01` }),
      trainingSnapshots: await made(second, 'create-training-snapshot', { conversationId, quality: 'good' }),
      messages: await made(second, 'send-message', { content: `${second}` }),
      workflowRuns: (await newRun(tenants, { contactId, startedAt: at(second) }))._id,
      calls: (await answered(second))._id,
    });
  }

  const { data } = expectStatus(await separation(contactId), 200);
  const ids = (records: { _id: string }[]) => records.map(({ _id }) => _id);
  const arrays = [
    ...(['contactNotes', 'applications', 'reminders', 'trainingSnapshots', 'workflowRuns', 'calls'] as const),
  ];
  for (const array of arrays) {
    expect(ids(data[array]), array).toEqual(rounds.map((round) => round[array]).reverse());
  }
  const voice = data.calls[0].conversationId;
  expect(ids(data.conversations)).toEqual([voice, conversationId]);
  expect(Object.keys(data.conversationMessages).sort()).toEqual([conversationId, voice].sort());
  expect(data.conversationMessages[voice]).toEqual([]);
  expect(ids(data.conversationMessages[conversationId]).slice(1)).toEqual(
    rounds.map(({ messages }) => messages),
  );
});

/** A contact with a conversation of this many megabytes; `zips` says whether its texts can be compressed. */
async function withMegabytes(megabytes: number, zips: boolean) {
  const { contactId, conversationId } = await newConversation();
  const size = 4_000;
  const filler = randomBytes((size * 3) / 4).toString('base64');
  const texts = Array.from({ length: Math.ceil((megabytes * 1024 * 1024) / (size + 300)) }, (_, index) => ({
    contactId,
    conversationId,
    content: zips ? `${index} ${filler}` : randomBytes((size * 3) / 4).toString('base64'),
    at: new Date(),
  }));
  const messages = await writeMessages(product, admin.organizationId, texts);
  return { contactId, conversationId, messages };
}

const contents = (messages: readonly Message[]) => messages.map(({ content }) => content);
const sorted = (messages: readonly Message[]) => [...messages].sort((a, b) => (a._id < b._id ? -1 : 1));

/** Decisions 6: an answer near the platform's 6 MB limit is gzipped; one that still does not fit is 303 to a short-lived object. */
test('Separation data of 5 MB come as they are', async () => {
  const { contactId, conversationId, messages } = await withMegabytes(5, false);
  const response = await separation(contactId);
  expect(response.status).toBe(200);
  expect(response.headers['content-encoding']).toBeUndefined();
  const [, ...received]: Message[] = sorted(response.body.data.conversationMessages[conversationId]);
  expect(contents(received)).toEqual(contents(messages));
});

test('Separation data of 7 MB that can be compressed come gzipped, without having been asked', async () => {
  const { contactId, conversationId, messages } = await withMegabytes(7, true);
  const response = await separation(contactId);
  expect(response.status).toBe(200);
  expect(response.headers['content-encoding']).toBe('gzip');
  const [, ...received]: Message[] = sorted(response.body.data.conversationMessages[conversationId]);
  expect(contents(received)).toEqual(contents(messages));
});

test.each([
  ['7 MB that cannot be compressed', 7, false],
  ['13 MB, more than twice what can be passed on', 13, false],
] as const)(
  'Separation data of %s come as a 303 to an object that can be downloaded for five minutes',
  async (_, size, zips) => {
    const { contactId, conversationId, messages } = await withMegabytes(size, zips);
    const response = await separation(contactId);
    expect(outcome(response)).toEqual({ status: 303, body: '' });
    const location = response.headers.location ?? '';
    expect(new URL(location).searchParams.get('X-Amz-Expires')).toBe('300');
    const download = await fetch(location);
    expect(download.status).toBe(200);
    expect(download.headers.get('content-disposition')).toContain(`contact-${contactId}.json`);
    const { success, data } = (await download.json()) as ApiResponse['body'];
    expect({ success, contact: data.contact._id }).toEqual({ success: true, contact: contactId });
    const [, ...received]: Message[] = sorted(data.conversationMessages[conversationId]);
    expect(contents(received)).toEqual(contents(messages));
  },
);

test('A number used again after a contact went shows nothing of the one before', async () => {
  const value = newPhoneNumber();
  const first = await newContact({ phoneNumbers: [{ value }] });
  await make(rep, 'create-note', { contactId: first._id, note: 'Of the first' });
  expectStatus(await product.call('delete-contact', { token: rep.token, path: { id: first._id } }), 200);
  const second = await newContact({ phoneNumbers: [{ value }] });
  expect(JSON.stringify((await separation(second._id)).body)).not.toContain('Of the first');
  expect((await separation(first._id)).status).toBe(404);
});
