import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { eventually } from '../harness/eventually.ts';
import type { Json } from '../harness/json.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { setUpLiveHost } from '../live/fixtures.ts';
import { connectAgent, revisions } from './agent.ts';

const host = await setUpLiveHost();
const admin = await host.newOrganization();
const number = newPhoneNumber();
await host.call(`POST /api/organizations/${admin.organizationId}/phone-numbers`, admin, {
  ...{ userId: admin.id, provider: 'twilio', phoneNumber: number },
});
const { data: workflow } = await host.call('POST /api/workflows', admin, {
  name: 'Note who gets further',
  nodes: [
    { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, data: { event: 'contact.stage_changed' } },
    { id: 'note', type: 'addNote', position: { x: 0, y: 9 }, data: { note: '{{firstName}} got further' } },
  ],
  edges: [{ id: 'edge', source: 'start', target: 'note' }],
});
const { key } = await host.call('POST /api/api-keys', admin, { name: 'Agent', access: 'write' });

/** A contact that nobody else is called like, and that has just sent a text. */
async function newSender(): Promise<{ lastName: string; contactId: string }> {
  const [lastName, From] = [`L${randomUUID().slice(0, 8)}`, newPhoneNumber()];
  const fields = { firstName: 'Ada', lastName, phoneNumbers: [{ value: From }] };
  const { data } = await host.call('POST /api/contacts/create', admin, fields);
  const text = { MessageSid: `SM${randomUUID()}`, From, To: number, Body: 'Do you deliver on Saturdays?' };
  await host.call('POST /api/webhook/acme/sms', undefined, text);
  return { lastName, contactId: data._id };
}

test.each(revisions)(
  'By revision %s an agent finds a contact, reads its timeline, moves it, answers its text and simulates a workflow',
  async (revision) => {
    const { lastName, contactId } = await newSender();
    const { client, output } = await connectAgent(host.url, key, { revision });
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: 'switchboard', version: packageJson.version });

    const board = await output('find_contacts', { search: lastName, ownerFilter: 'all' });
    const found = Object.values(board.data).flatMap((column) => (column as Json).contacts);
    expect(found.map(({ _id }) => _id)).toEqual([contactId]);

    await output('move_contact', { id: contactId, stage: 'Contacted' });
    expect((await output('read_contact', { id: contactId })).data.stage).toBe('Contacted');

    const conversations = await output('list_conversations', { contactId });
    const conversationId = conversations.data[0]._id;
    const { data: texts } = await output('list_messages', { id: conversationId, limit: 10 });
    expect(texts[0].content).toBe('Do you deliver on Saturdays?');
    const sent = await output('send_message', { contactId, conversationId, content: 'Yes, we do.' });
    const shown = await host.call(`GET /api/conversations/${conversationId}/messages`, admin);
    expect(shown.data.map(({ content }: Json) => content)).toContain('Yes, we do.');
    expect(sent.data.sentBy).toBe(admin.id);

    await eventually(async () => {
      const timeline = await output('list_timeline', { id: contactId });
      const types = timeline.data.map(({ type }: Json) => type);
      return ['created', 'stage_changed', 'message'].every((type) => types.includes(type));
    });

    const listed = await output('list_workflows', { search: 'further' });
    expect(listed.data[0]._id).toBe(workflow._id);
    const { data } = await output('simulate_workflow', {
      ...{ id: workflow._id, topic: 'contact.stage_changed', contactId },
    });
    expect(JSON.stringify(data)).toContain('Ada got further');
  },
);

test('A tool that is used twice with one Idempotency-Key does what it does once', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const { output } = await connectAgent(host.url, key, { headers });
  const lastName = `L${randomUUID().slice(0, 8)}`;
  const [one, again] = [
    await output('create_contact', { firstName: 'Mary', lastName }),
    await output('create_contact', { firstName: 'Mary', lastName }),
  ];
  expect(again).toEqual(one);
  const { data } = await output('find_contacts', { search: lastName });
  expect(Object.values(data).flatMap((column) => (column as Json).contacts)).toHaveLength(1);
});

test('What an agent does is what the user of its key did, by the key', async () => {
  const { output } = await connectAgent(host.url, key);
  const { data } = await output('create_contact', { firstName: 'Emmy', customFields: { long: 1 } });
  const { _id } = (await output('read_me')).data.key;
  await eventually(async () => {
    const { data: entries } = await host.call(`GET /api/contacts/${data._id}/timeline`, admin);
    return entries.some(({ actor }: Json) => actor.type === 'key' && actor.id === _id);
  });
});

test('Agents that all work at once on the local host are all answered', async () => {
  const { output } = await connectAgent(host.url, key);
  const all = await Promise.all(Array.from({ length: 24 }, () => output('read_me')));
  expect(all.map(({ success }) => success)).toEqual(Array(24).fill(true));
});
