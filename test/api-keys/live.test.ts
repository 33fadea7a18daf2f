import { expect, test } from 'vitest';
import { setUpLiveHost } from '../live/fixtures.ts';
import type { User } from '../live/live-host.ts';

const host = await setUpLiveHost();

/** A program with a key of the administrator. */
async function newProgram(admin: User, fields: object = {}) {
  const body = { name: 'Program', access: 'read', ...fields };
  const { key, data } = await host.call('POST /api/api-keys', admin, body);
  const program: User = { ...admin, token: key };
  const { socketToken } = (await host.call('POST /api/socket-token', program)).data;
  return { id: data._id as string, socket: await host.open(socketToken as string) };
}

const create = async (user: User) =>
  (await host.call('POST /api/contacts/create', user, { firstName: 'Ada' })).data;

test('A program gets live events by its key, those of its groups alone, and none once the key is deleted', async () => {
  const admin = await host.newOrganization();
  const [everything, calls, person] = await Promise.all([
    newProgram(admin),
    newProgram(admin, { groups: ['Calls'] }),
    host.call('POST /api/socket-token', admin).then(({ data }) => host.open(data.socketToken)),
  ]);
  const first = await create(admin);
  const isFirst = ({ data }: { data: { contactId?: unknown } }) => data.contactId === first._id;
  await Promise.all([everything.socket.frame(isFirst), person.frame(isFirst)]);
  await host.call('POST /api/calls/sdk/outbound', admin, { phoneNumber: '+12025550188' });
  await calls.socket.frame(({ event }) => event === 'call_initiated');
  expect(calls.socket.frames.map(({ event }) => event)).toEqual(['call_initiated']);

  await host.call(`DELETE /api/api-keys/${everything.id}`, admin);
  const second = await create(admin);
  await person.frame(({ data }) => data.contactId === second._id);
  expect(await everything.socket.ended).toBe(1000);
  expect(everything.socket.frames.some(({ data }) => data.contactId === second._id)).toBe(false);
  await Promise.all([calls.socket.close(), person.close()]);
});
