import { expect, test } from 'vitest';
import { connectionRange } from '../../functions/live/model/connection.ts';
import { contactRange } from '../../shared/contacts/contact.ts';
import { noteKey } from '../../shared/notes/note.ts';
import { eventually } from '../harness/eventually.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { setUpLiveHost } from './fixtures.ts';
import type { Frame } from './frame.ts';
import type { User } from './live-host.ts';
import type { SocketClient } from './socket-client.ts';

const host = await setUpLiveHost();

const create = async (user: User, more: Record<string, unknown> = {}) =>
  (await host.call('POST /api/contacts/create', user, { firstName: 'Ada', ...more })).data;

const about = (contact: { _id: string }) => (frame: Frame) => frame.data.contactId === contact._id;
const named = (event: string) => (frame: Frame) => frame.event === event;
/** The contacts of the frames, without the notifications that follow them in their own time. */
const contactsIn = (client: SocketClient) =>
  client.frames.filter(({ event }) => event !== 'notification_created').map(({ data }) => data.contactId);

test('An open connection receives a contact from its creation to its removal', async () => {
  const admin = await host.newOrganization();
  const socket = await host.open(admin);
  const contact = await create(admin);
  expect(await socket.frame(about(contact))).toEqual({
    id: expect.stringMatching(/^[0-9A-Z]{26}$/),
    event: 'contact_created',
    at: contact.createdAt,
    data: { contactId: contact._id, pipelineId: contact.pipelineId, stageId: contact.stageId, contact },
  });

  await host.call(`PUT /api/contacts/${contact._id}`, admin, { lastName: 'Lovelace' });
  await host.call(`PUT /api/contacts/${contact._id}/stage`, admin, { stage: 'Won' });
  await host.call(`DELETE /api/contacts/${contact._id}`, admin);
  await socket.frame(named('contact_removed'));
  expect(socket.frames.map(({ event }) => event)).toEqual([
    'contact_created',
    'contact_updated',
    'contact_stage_changed',
    'contact_removed',
  ]);
  await socket.close();
});

test('An open connection receives many changes of a record in the order in which they were made', async () => {
  const admin = await host.newOrganization();
  const socket = await host.open(admin);
  const contact = await create(admin);
  const names = Array.from({ length: 20 }, (_, index) => `Name ${index}`);
  for (const lastName of names) {
    await host.call(`PUT /api/contacts/${contact._id}`, admin, { lastName });
  }
  const lastNameOf = ({ data }: Frame) => (data.contact as { lastName: string } | undefined)?.lastName;
  await socket.frame((frame) => lastNameOf(frame) === names.at(-1));
  const updates = socket.frames.filter(named('contact_updated'));
  expect(updates.map(lastNameOf)).toEqual(names);
  await socket.close();
});

test('An open connection of a SALES_REP receives only their own records, and nothing of another organization', async () => {
  const [admin, foreignAdmin] = await Promise.all([host.newOrganization(), host.newOrganization()]);
  const rep = await host.newColleague(admin);
  const [ofRep, ofForeignAdmin] = await Promise.all([host.open(rep), host.open(foreignAdmin)]);
  await create(admin);
  const own = await create(rep);
  const assigned = await create(admin, { assignees: [rep.id] });
  const foreign = await create(foreignAdmin);
  // Each waits for the last event that is meant for it: one that is not would have come before.
  await Promise.all([ofRep.frame(about(assigned)), ofForeignAdmin.frame(about(foreign))]);
  expect(contactsIn(ofRep)).toEqual([own._id, assigned._id]);
  expect(contactsIn(ofForeignAdmin)).toEqual([foreign._id]);
  await Promise.all([ofRep.close(), ofForeignAdmin.close()]);
});

test('An open connection receives a call that was answered, and the contact going with it when it is discarded', async () => {
  const admin = await host.newOrganization();
  const [rep, otherRep] = await Promise.all([host.newColleague(admin), host.newColleague(admin)]);
  const [ofRep, ofAdmin, ofOtherRep] = await Promise.all([rep, admin, otherRep].map(host.open));
  const body = { callerNumber: newPhoneNumber() };
  const { call } = await host.call('POST /api/calls/sdk/inbound', rep, body);
  const { _id: callId, contactId, conversationId } = call;
  await host.call(`POST /api/calls/${callId}/discard`, rep, { contactId, deleteContact: true });
  const own = await create(otherRep);
  for (const socket of [ofRep, ofAdmin]) {
    await socket?.frame(named('contact_removed'));
    expect(socket?.frames.filter(about({ _id: contactId }))).toMatchObject([
      { event: 'contact_created', at: call.createdAt },
      { event: 'call_answered', at: call.createdAt, data: { callId, contactId, conversationId, call } },
      { event: 'contact_removed', data: { contactId } },
    ]);
  }
  await ofOtherRep?.frame(about(own));
  expect(ofOtherRep?.frames.map(({ data }) => data.contactId)).toEqual([own._id]);
  await Promise.all([ofRep, ofAdmin, ofOtherRep].map((socket) => socket?.close()));
});

test('An open connection that is lost without a word is forgotten', async () => {
  const admin = await host.newOrganization();
  const socket = await host.open(admin);
  const { table } = host.tableOf(admin);
  expect(await table.list(connectionRange())).toHaveLength(1);
  socket.drop();
  await eventually(async () => (await table.list(connectionRange())).length === 0);
});

test('A client gets a response to every frame it sends', async () => {
  const admin = await host.newOrganization();
  const socket = await host.open(admin);
  socket.send({ action: 'ping' });
  expect(await socket.frame(named('pong'))).toMatchObject({ event: 'pong', data: {} });

  for (const odd of [
    '',
    'no JSON',
    '[]',
    'null',
    { action: '$connect' },
    { action: 'shout' },
    { action: 7 },
  ]) {
    const count = socket.frames.length;
    socket.send(odd);
    await socket.frame((frame) => socket.frames.indexOf(frame) === count);
    expect(socket.frames.at(-1)).toMatchObject({
      event: 'error',
      data: { message: expect.stringContaining('ping') },
    });
  }
  await socket.close();
});

test('A client that was away gets what it missed in order, then events as they happen', async () => {
  const admin = await host.newOrganization();
  const before = await host.open(admin);
  const known = await create(admin);
  const { id: since } = await before.frame(about(known));
  before.drop();

  const missed = [];
  for (const firstName of ['Grace', 'Edsger', 'Barbara', 'Donald', 'Frances']) {
    missed.push(await create(admin, { firstName }));
  }
  const socket = await host.open(admin);
  socket.send({ action: 'resume', since });
  await socket.frame(named('resumed'));
  expect(contactsIn(socket).slice(0, -1)).toEqual(missed.map(({ _id }) => _id));

  const next = await create(admin);
  await socket.frame(about(next));
  await socket.close();
});

test('What a deleted contact owned is swept away', async () => {
  const admin = await host.newOrganization();
  const contact = await create(admin);
  const { table, moment } = host.tableOf(admin);
  const note = { _id: 'note', note: 'A note' } as never;
  await table.commit(Array.from({ length: 40 }, () => table.put(noteKey(contact._id, moment.newId()), note)));
  await host.call(`DELETE /api/contacts/${contact._id}`, admin);
  await eventually(async () => (await table.list(contactRange(contact._id))).length === 0);
});
