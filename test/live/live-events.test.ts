import { expect, test } from 'vitest';
import { connectionRange } from '../../functions/live/model/connection.ts';
import { eventually } from '../harness/eventually.ts';
import { setUpLiveHost } from './fixtures.ts';
import type { Frame } from './frame.ts';
import type { User } from './live-host.ts';
import type { SocketClient } from './socket-client.ts';

const host = await setUpLiveHost();

const create = async (user: User, more: Record<string, unknown> = {}) =>
  (await (await host.as(user)).createContact({ firstName: 'Ada', ...more })).data;

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
    actor: { type: 'user', id: admin.id },
    data: { contactId: contact._id, pipelineId: contact.pipelineId, stageId: contact.stageId, contact },
  });

  const client = await host.as(admin);
  await client.updateContact({ id: contact._id }, { lastName: 'Lovelace' });
  await client.moveContact({ id: contact._id }, { stage: 'Won' });
  await client.deleteContact({ id: contact._id });
  await socket.frame(named('contact_removed'));
  expect(socket.frames.map(({ event }) => event)).toEqual([
    'contact_created',
    'contact_updated',
    'contact_stage_changed',
    'contact_removed',
  ]);
  await socket.close();
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
