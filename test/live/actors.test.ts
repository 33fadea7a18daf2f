import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { userKey } from '../../shared/organizations/user.ts';
import { eventually } from '../harness/eventually.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import type { Frame } from './frame.ts';
import { startLiveHost, type User } from './live-host.ts';

const host = await startLiveHost();
afterAll(() => host.stop());
const admin = await host.newOrganization();
const client = await host.as(admin);
const socket = await host.open(admin);

const create = async (user: User | string) =>
  (await (await host.as(user)).createContact({ firstName: 'Ada' })).data;
const eventOf = (event: string, contactId: unknown) => (frame: Frame) =>
  frame.event === event && frame.data.contactId === contactId;
const actorOf = async (event: string, contactId: unknown) =>
  (await socket.frame(eventOf(event, contactId))).actor;

test('An event names the user who did it', async () => {
  const rep = await host.newColleague(admin);
  const contact = await create(rep);
  expect(await actorOf('contact_created', contact._id)).toEqual({ type: 'user', id: rep.id });
  const joined = await socket.frame(({ event, data }) => event === 'user_updated' && data.userId === rep.id);
  expect(joined.actor).toEqual({ type: 'user', id: admin.id });
});

test('An event names the API key of the program that did it, and the user as whom the key acts', async () => {
  const { key, data } = await client.createApiKey({ name: 'Program', access: 'write' });
  const contact = await create(key as string);
  const actor = { type: 'key', id: data._id, userId: admin.id };
  expect(await actorOf('contact_created', contact._id)).toEqual(actor);
});

test('An event names the run of the workflow whose step did it', async () => {
  const workflow = await client.createWorkflow({
    name: 'Greet',
    nodes: [
      { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, data: { event: 'contact.created' } },
      { id: 'note', type: 'addNote', position: { x: 0, y: 9 }, data: { note: 'Hello' } },
    ],
    edges: [{ id: 'edge', source: 'start', target: 'note' }],
    enabled: true,
  });
  const contact = await create(admin);
  const workflowId = workflow.data._id;
  const ended = await socket.frame(
    ({ event, data }) =>
      event === 'workflow_run_updated' && data.workflowId === workflowId && data.status === 'finished',
  );
  const actor = { type: 'workflow', id: ended.data.runId, workflowId };
  expect(await actorOf('note_created', contact._id)).toEqual(actor);
  expect(ended.actor).toEqual(actor);
  await client.deleteWorkflow({ id: workflowId });
});

test('An event names the provider whose webhook told of it', async () => {
  const number = newPhoneNumber();
  const { id: userId, organizationId } = admin;
  await client.assignPhoneNumber({ organizationId }, { userId, provider: 'twilio', phoneNumber: number });
  const { data } = await host.call('POST /api/webhook/acme/sms', undefined, {
    ...{ MessageSid: `SM${randomUUID()}`, From: newPhoneNumber(), To: number, Body: 'Hello' },
  });
  const actor = { type: 'provider', id: 'acme', name: 'acme' };
  expect(await actorOf('message_created', data.contactId)).toEqual(actor);
  expect(await actorOf('contact_created', data.contactId)).toEqual(actor);
});

test('An event names the outreach configuration that a lead came by', async () => {
  const configuration = (await client.createOutreachConfiguration({ name: 'Fair', source: 'fair' })).data;
  const { data } = await host.call('POST /api/webhook/outreach', undefined, {
    ...{ configurationId: configuration._id, firstName: 'Mary', phoneNumber: newPhoneNumber() },
  });
  const actor = { type: 'lead', id: configuration._id };
  expect(await actorOf('lead_received', data.contactId)).toEqual(actor);
});

test('An event names the organization of a SUPERADMIN from elsewhere', async () => {
  const abroad = await host.newOrganization();
  const { table } = host.tableOf(abroad);
  const user = await table.read(userKey(abroad.id));
  if (user === undefined) {
    throw new Error('The user is gone');
  }
  await table.commit([table.replace(user, { ...user.data, accessRole: 'SUPERADMIN' })]);
  const { token } = await host.call('POST /api/auth/refresh', undefined, {
    refreshToken: abroad.refreshToken,
  });
  const response = await fetch(`${host.url}/api/contacts/create`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'x-organization-id': admin.organizationId },
    body: JSON.stringify({ firstName: 'Grace' }),
  });
  const { data } = await response.json();
  const actor = { type: 'user', id: abroad.id, organizationId: abroad.organizationId };
  expect(await actorOf('contact_created', data._id)).toEqual(actor);
});

test('The service does what is due, whoever set it up', async () => {
  const contact = await create(admin);
  const remindAt = new Date(Date.now() - 1_000).toISOString();
  await client.createReminder({ contactId: contact._id, note: 'Call back', remindAt });
  host.startSchedules();
  const isReminder = ({ event, data }: Frame) =>
    event === 'notification_created' && typeof data.reminderId === 'string';
  expect((await socket.frame(isReminder)).actor).toEqual({ type: 'system' });
});

test('The log has every event that the socket showed, with the same actor', async () => {
  const shown = socket.frames.map(({ id, actor }) => ({ _id: id, actor }));
  const logged = await eventually(async () => {
    const { data } = await client.listEventLogs({ limit: 100 });
    const found = (data as { _id: string; actor: unknown }[]).map(({ _id, actor }) => ({ _id, actor }));
    return shown.every(({ _id }) => found.some((entry) => entry._id === _id)) && found;
  });
  expect(logged).toEqual(expect.arrayContaining(shown));
  expect(new Set(shown.map(({ actor }) => actor?.type))).toEqual(
    new Set(['user', 'key', 'workflow', 'provider', 'lead', 'system']),
  );
});

test('A reply to a frame has no actor', async () => {
  socket.send({ action: 'ping' });
  const pong = await socket.frame(({ event }) => event === 'pong');
  expect(Object.keys(pong)).toEqual(['id', 'event', 'at', 'data']);
  await socket.close();
});
