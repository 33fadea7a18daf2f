import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { type Message, messageKey } from '../../shared/conversations/conversation.ts';
import { childId } from '../../shared/kernel/child-id.ts';
import { chunks } from '../../shared/kernel/chunks.ts';
import { after, minute, timestamp } from '../../shared/kernel/time.ts';
import { noteKey } from '../../shared/notes/note.ts';
import type { Call } from '../harness/call.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { prepareFillings } from './filled-contact.ts';
import { finishErasures } from './finish-erasures.ts';

const tenants = await setUpTenants();
const { product, admin, rep, otherRep } = tenants;
const stream = await tableStream(product);
const { webhook, newFilledContact } = await prepareFillings(tenants, stream);

type Records = Readonly<Record<string, { _id: string; contactId?: string }[]>>;

const call = async (name: string, more: Call = {}, by: Person = rep) =>
  arrange(product.call(name, { token: by.token, ...more }));

const separationData = async (id: string) =>
  (await call('read-separation-data', { path: { id } }, admin)).data as Records & {
    conversationMessages: Readonly<Record<string, { _id: string; contactId: string; content: string }[]>>;
  };

const lists = [
  'conversations',
  'applications',
  'contactNotes',
  'reminders',
  'trainingSnapshots',
  'calls',
  'workflowRuns',
];

const newContact = async (more: Record<string, unknown> = {}) => {
  const phone = newPhoneNumber();
  const { _id: id } = await tenants.newContact({ phoneNumbers: [{ value: phone }], ...more });
  return { id, phone };
};

const text = async (From: string, Body = 'Hello') => (await arrange(webhook.text({ From, Body }))).data;

const merge = (id: string, from: string, by: Person = rep) =>
  product.call('merge-contact', { token: by.token, path: { id }, body: { from } });

test('Everything of two contacts that have all there is belongs to the one, under the same ids, and goes with it', async () => {
  const [one, other] = [await newFilledContact(), await newFilledContact()];
  await stream.settle();
  const [ofOne, ofOther] = [await separationData(one.contactId), await separationData(other.contactId)];
  expectStatus(await merge(one.contactId, other.contactId, admin), 200);
  await stream.settle();
  const joined = await separationData(one.contactId);
  const ids = (records: readonly { _id: string }[] = []) => records.map(({ _id }) => _id).sort();
  for (const name of lists) {
    expect(ids(joined[name]), name).toEqual([...ids(ofOne[name]), ...ids(ofOther[name])].sort());
    const named = (joined[name] ?? []).flatMap(({ contactId }) => contactId ?? []);
    expect(new Set(named).difference(new Set([one.contactId])), name).toEqual(new Set());
  }
  const messages = (data: typeof joined) => Object.values(data.conversationMessages).flat();
  expect(ids(messages(joined))).toEqual([...ids(messages(ofOne)), ...ids(messages(ofOther))].sort());
  const path = { id: other.conversationId };
  expect((await call('read-conversation', { path })).data.contactId).toBe(one.contactId);
  await call('mark-conversation-read', { path, body: {} }, admin);
  await call('update-conversation', { path, body: { isResolved: true } });
  for (const { _id } of ofOther.calls ?? []) {
    await call('read-call', { path: { callId: _id } });
  }
  const { data: timeline } = await call('list-timeline', {
    path: { id: one.contactId },
    query: { limit: '100' },
  });
  expect(
    timeline[0].type === 'merged' || timeline.some(({ type }: { type: string }) => type === 'merged'),
  ).toBe(true);

  await call('delete-contact', { path: { id: one.contactId } }, admin);
  await stream.settle();
  await finishErasures(product, after(new Date(), minute));
  for (const { digits } of [one, other]) {
    expect((await stream.texts()).filter((row) => row.includes(digits))).toEqual([]);
  }
  for (const { contactId } of [one, other]) {
    const rows = (await stream.texts()).filter((row) => row.includes(`#CONTACT#${contactId}`));
    expect(rows.filter((row) => !/^pk: [^\n]*#EVENTS#/.test(row))).toEqual([]);
  }
});

test('The next text to each number goes on in the conversation of that number', async () => {
  const [one, other] = [await newContact(), await newContact()];
  const [first, second] = [await text(one.phone), await text(other.phone)];
  await arrange(merge(one.id, other.id));
  const [again, further] = [await text(one.phone, 'Again'), await text(other.phone, 'Further')];
  expect(again).toMatchObject({ contactId: one.id, conversationId: first.conversationId });
  expect(further).toMatchObject({ contactId: one.id, conversationId: second.conversationId });
  await stream.settle();
  const { data } = await call('list-messages', { path: { id: second.conversationId } });
  expect(data.map(({ content }: { content: string }) => content)).toEqual(['Further', 'Hello']);
  const body = { contactId: one.id, conversationId: second.conversationId, content: 'To the other number' };
  const sent = (await call('send-message', { body })).data;
  expect(sent.conversationId).toBe(second.conversationId);
  const usual = (await call('send-message', { body: { contactId: one.id, content: 'To the first' } })).data;
  expect(usual.conversationId).toBe(first.conversationId);
  const { data: conversations } = await call('list-conversations', { query: { contactId: one.id } });
  expect(conversations.map(({ _id }: { _id: string }) => _id).sort()).toEqual(
    [first.conversationId, second.conversationId].sort(),
  );
});

test('Consent stays with each number', async () => {
  const [one, other] = [await newContact(), await newContact()];
  await text(one.phone);
  const { conversationId } = await text(other.phone, 'STOP');
  const { data } = expectStatus(await merge(one.id, other.id), 200) as { data: { consent: object } };
  expect(data.consent).toMatchObject({ sms: 'in' });
  const send = (more: object) =>
    product.call('send-message', { token: rep.token, body: { contactId: one.id, content: 'Hi', ...more } });
  expect((await send({ conversationId })).status).toBe(409);
  expect((await send({})).status).toBe(201);
});

test('A contact with 5,000 messages is merged by one transaction, and has them all', async () => {
  const [one, other] = [await newContact(), await newContact()];
  await text(one.phone);
  const { conversationId } = await text(other.phone, 'First');
  const { table } = product.tableOf(rep.organizationId);
  const rows = Array.from({ length: 5_000 }, (_, index) => {
    const at = after(new Date(), -(index + 1) * minute);
    const _id = childId(other.id, ulid(at.getTime()));
    const data = {
      ...{ _id, conversationId, contactId: other.id, direction: 'inbound', content: `Text ${index}` },
      ...{ attachments: [], channel: 'sms', status: 'received', sentBy: null, providerMessageId: null },
      createdAt: timestamp(at),
    } satisfies Message;
    return { key: messageKey(conversationId, _id), data };
  });
  for (const some of chunks(rows, 90)) {
    await table.commit(some.map(({ key, data }) => table.put(key, data)));
  }
  const merged = await merge(one.id, other.id);
  expectStatus(merged, 200);
  expect(merged.consumed?.roundTrips).toBeLessThanOrEqual(3);
  const data = await separationData(one.id);
  expect(data.conversationMessages[conversationId]).toHaveLength(5_001);
  expect(new Set(data.conversationMessages[conversationId]?.map(({ contactId }) => contactId))).toEqual(
    new Set([one.id]),
  );
});

test('Of two merges of the same contact at once, one comes about, and nothing of it is with both', async () => {
  const [one, two, from] = [await newContact(), await newContact(), await newContact()];
  const { conversationId } = await text(from.phone);
  const responses = await Promise.all([merge(one.id, from.id), merge(two.id, from.id)]);
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 404]);
  const winner = responses[0]?.status === 200 ? one : two;
  expect((await text(from.phone)).contactId).toBe(winner.id);
  expect((await call('read-conversation', { path: { id: conversationId } })).data.contactId).toBe(winner.id);
});

test('Two contacts that are merged into each other at once become one', async () => {
  const [one, two] = [await newContact(), await newContact()];
  const responses = await Promise.all([merge(one.id, two.id), merge(two.id, one.id)]);
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 404]);
});

test('Texts and notes that come in beside a merge are with the contact, all of them', async () => {
  const [one, other] = [await newContact(), await newContact()];
  await text(other.phone);
  const writing = Array.from({ length: 8 }, (_, index) => [
    text(other.phone, `Beside ${index}`),
    product.call('create-note', { token: rep.token, body: { contactId: other.id, note: `Note ${index}` } }),
  ]);
  const [merged, ...written] = await Promise.all([merge(one.id, other.id), ...writing.flat()]);
  expectStatus(merged, 200);
  const data = await separationData(one.id);
  expect(Object.values(data.conversationMessages).flat()).toHaveLength(9);
  const noted = written.filter((one) => 'status' in one && one.status === 201);
  expect(data.contactNotes).toHaveLength(noted.length);
});

test('A chain of merges leads from each of them to the last, and who saw only the first sees nothing of it', async () => {
  const [one, two, three] = [await newContact(), await newContact(), await newContact()];
  const noteId = (await call('create-note', { body: { contactId: one.id, note: 'Kept' } })).data._id;
  const { conversationId } = await text(one.phone);
  await arrange(merge(two.id, one.id));
  await arrange(merge(three.id, two.id));
  const seen = await product.call('read-contact', { token: rep.token, path: { id: one.id } });
  expect(seen.body).toMatchObject({ mergedInto: three.id });
  const { data: notes } = await call('list-notes', { query: { contactId: three.id } });
  expect(notes.map(({ _id }: { _id: string }) => _id)).toEqual([noteId]);
  expect((await text(one.phone)).conversationId).toBe(conversationId);
  await arrange(
    product.call('update-contact', {
      token: admin.token,
      path: { id: three.id },
      body: { owner: otherRep.userId, assignees: [] },
    }),
  );
  const { data: contact } = await call('read-contact', { path: { id: three.id } }, admin);
  expect(contact.assignees).toEqual([]);
  expect((await product.tableOf(rep.organizationId).table.read(noteKey(noteId)))?.data.contactId).toBe(
    one.id,
  );
});
