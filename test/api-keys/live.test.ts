import { expect, test } from 'vitest';
import { setUpLiveHost } from '../live/fixtures.ts';

const host = await setUpLiveHost();

test('A program gets live events by its key, those of its groups alone, and none once the key is deleted', async () => {
  const person = await host.as(await host.newOrganization());
  /** The events of a program with a key of the administrator. */
  const follow = async (fields: object = {}) => {
    const { key, data } = await person.createApiKey({ name: 'Program', access: 'read', ...fields });
    const events = (await host.as(key as string)).events();
    await events.opened;
    return { id: data._id as string, events: events[Symbol.asyncIterator]() };
  };
  const ofPerson = person.events();
  const [everything, calls] = await Promise.all([follow(), follow({ groups: ['Calls'] }), ofPerson.opened]);
  const seen = ofPerson[Symbol.asyncIterator]();
  const creation = async () => {
    const { data } = await person.createContact({ firstName: 'Ada' });
    return { event: 'contact_created', data: { contactId: data._id } };
  };
  const first = await creation();
  expect((await seen.next()).value).toMatchObject(first);
  expect((await everything.events.next()).value).toMatchObject(first);
  await person.startOutboundCall({ phoneNumber: '+12025550188' });
  expect((await calls.events.next()).value).toMatchObject({ event: 'call_initiated' });

  await person.deleteApiKey({ id: everything.id });
  const second = await creation();
  const readOn = async () => {
    for (;;) {
      expect((await everything.events.next()).value).not.toMatchObject(second);
    }
  };
  await expect(readOn()).rejects.toMatchObject({ status: 401 });
  await Promise.all([calls.events.return(), seen.return()]);
});
