import { expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { newPhoneNumber } from '../harness/world.ts';
import { setUpLiveHost } from './fixtures.ts';
import type { User } from './live-host.ts';

const host = await setUpLiveHost();

/** Always busy, so that a message to it waits. */
const busy = '+15005550008';

async function newContact(admin: User, firstName: string, phoneNumber = newPhoneNumber()): Promise<string> {
  const body = { firstName, phoneNumbers: [{ value: phoneNumber }] };
  return (await host.call('POST /api/contacts/create', admin, body)).data._id;
}

test('One reader of the stream sends messages and sweeps after deleted contacts, whatever fails for a while', async () => {
  const admin = await host.newOrganization();
  await host.call(`POST /api/organizations/${admin.organizationId}/phone-numbers`, admin, {
    userId: admin.id,
    provider: 'twilio',
    phoneNumber: newPhoneNumber(),
    isDefault: true,
  });
  const [deleted, reached, unreached] = [
    await newContact(admin, 'Ada'),
    await newContact(admin, 'Grace'),
    await newContact(admin, 'Mary', busy),
  ];
  const remind = (contactId: string) =>
    host.call('POST /api/reminders', admin, { contactId, note: 'Call back', remindAt: '2099-01-15' });
  await Promise.all([remind(deleted), remind(reached)]);
  const send = async (contactId: string) => {
    const { data } = await host.call('POST /api/messages', admin, { contactId, content: 'Hello' });
    return async () => {
      const { data: messages } = await host.call(
        `GET /api/conversations/${data.conversationId}/messages`,
        admin,
      );
      return messages[0].status;
    };
  };
  const [statusUnreached, statusReached] = [await send(unreached), await send(reached)];
  await host.call(`DELETE /api/contacts/${deleted}`, admin);

  await eventually(async () => (await statusReached()) === 'sent');
  const left = await eventually(async () => {
    const { data: reminders } = await host.call('GET /api/reminders', admin);
    return reminders.length === 1 && reminders;
  });
  expect(left).toMatchObject([{ contactId: reached }]);
  expect(await statusUnreached()).toBe('queued');
});
