import { beforeEach, expect, test } from 'vitest';
import { after, hour, minute } from '../../shared/kernel/time.ts';
import { conversationsClient } from '../conversations/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import {
  assigned,
  type OrganizationsClient,
  organizationsClient,
  setDisabled,
} from '../organizations/client.ts';
import { prepareScheduled } from './scheduled-client.ts';

const product = await setUpProduct();
const { run, nextTime, recipient } = await prepareScheduled(product);
const superadmin = await product.newSuperadmin();

let admin: Person;
let above: OrganizationsClient;
beforeEach(async () => {
  admin = await product.newOrganization();
  above = organizationsClient(product, superadmin, admin.organizationId);
});

/** What changes between the scheduling of a message and its time, and why it then fails. */
const changes: Record<
  string,
  [
    change: (made: {
      ada: Awaited<ReturnType<typeof recipient>>;
      number: string;
      author: Person;
    }) => Promise<unknown>,
    code: string,
    reason: string,
  ]
> = {
  'who opted out': [
    async ({ ada, number }) =>
      product.call('receive-sms', {
        path: { provider: 'twilio' },
        body: { MessageSid: `SM${ada.contactId}`, From: ada.number, To: number, Body: 'STOP' },
      }),
    'OPTED_OUT',
    'The contact has opted out of text messages.',
  ],
  'whose number is gone': [
    ({ ada }) => ada.contacts.update(ada.contactId, { phoneNumbers: [] }),
    'NO_RECIPIENT',
    'The contact no longer has a phone number.',
  ],
  'for whose author no number is left': [
    ({ number }) => above('remove-phone-number', undefined, { phoneNumber: number }),
    'NUMBER_LOST',
    'The user who scheduled the message had no active phone number to send it from. Ask an ADMIN to assign one, then send the message again.',
  ],
  'whose author is disabled': [
    ({ author }) => setDisabled(product, admin, author, true),
    'SENDER_DISABLED',
    'The account of the user who scheduled the message is disabled.',
  ],
  'after the last text of the day': [
    () => above('update-text-settings', { dailyLimit: 0 }),
    'DAILY_LIMIT',
    'Your organization had reached its daily limit of text messages. Send the message again.',
  ],
};

test.each(Object.entries(changes))(
  'A scheduled message to a contact %s fails, and says why',
  async (_, [change, code, reason]) => {
    await arrange(above('update-text-settings', { standardSender: null }));
    const author = await product.newColleague(admin, 'ADMIN');
    const { phoneNumber } = await assigned(above, author);
    const ada = await recipient(author);
    const at = nextTime();
    const { _id } = await ada.scheduled(at);
    await change({ ada, number: phoneNumber, author });
    expect(await run(at)).toMatchObject({ failed: 1 });
    const reader = await recipient(admin);
    const { body } = await reader.conversations.list({ contactId: ada.contactId });
    const { data } = (await reader.conversations.messages(body.data[0]._id)).body;
    expect(data.find((message: { _id: string }) => message._id === _id)).toMatchObject({
      status: 'failed',
      failure: { code, reason },
      sendAt: at.toISOString(),
    });
    expect((await ada.events()).at(-1)).toEqual(['message_updated', 'failed']);
    expect(product.sentMessages.filter(({ to }) => to === ada.number)).toEqual([]);
    expect(await ada.waiting()).toBe(0);
  },
);

test('A scheduled message of a user who can no longer see the contact is not sent, and says why', async () => {
  const [author, { contacts }] = [await product.newColleague(admin), await recipient(admin)];
  await assigned(above, author);
  const contact = await contacts.created({
    firstName: 'Ada',
    owner: author.userId,
    phoneNumbers: [{ value: newPhoneNumber() }],
  });
  const at = nextTime();
  const conversations = conversationsClient(product, author);
  const { data } = expectStatus(
    await conversations.send({ contactId: contact._id, content: 'Hello', sendAt: at.toISOString() }),
    201,
  );
  expectStatus(await contacts.update(contact._id, { owner: admin.userId }), 200);
  expect(await run(at)).toMatchObject({ failed: 1 });
  const { body } = await conversationsClient(product, admin).messages(data.conversationId);
  expect(body.data).toMatchObject([
    {
      status: 'failed',
      failure: {
        code: 'NO_ACCESS',
        reason:
          'The user who scheduled the message can no longer see the contact. Somebody who can see it may send the message again.',
      },
    },
  ]);
});

test('A scheduled message whose time was more than a day ago when the clock runs again fails instead of being late', async () => {
  const ada = await recipient(admin);
  const [at, other] = [nextTime(), await recipient(admin)];
  await ada.scheduled(at);
  await other.scheduled(after(at, 20 * hour), { content: 'In time' });
  expect(await run(after(at, 25 * hour))).toMatchObject({ failed: 1, queued: 1 });
  expect(await ada.messages()).toMatchObject([{ status: 'failed', failure: { code: 'EXPIRED' } }]);
  expect(await other.sent(after(at, 25 * hour))).toEqual(['In time']);
});

test('A scheduled message that the provider does not take at its time is tried again for a day from then', async () => {
  const ada = await recipient(admin);
  const at = nextTime();
  await ada.scheduled(at);
  await run(at);
  product.sms.behave(ada.number, 'unavailable');
  expect(await ada.sent(at)).toEqual([]);
  expect(await ada.messages()).toMatchObject([{ status: 'queued' }]);
  product.sms.behave(ada.number, 'sends');
  expect(await ada.sent(after(at, 5 * minute))).toEqual(['See you at ten']);
});

test('A scheduled message counts for the limit of the day on which it is sent', async () => {
  expectStatus(await above('update-text-settings', { dailyLimit: 1 }), 200);
  const ada = await recipient(admin);
  const at = nextTime();
  await ada.scheduled(at);
  expect((await ada.conversations.send({ contactId: ada.contactId, content: 'Today' })).status).toBe(201);
  expect(await run(at)).toMatchObject({ queued: 1 });
});

test('A scheduled message of a SUPERADMIN from elsewhere is sent at its time, unless they are disabled or no SUPERADMIN by then', async () => {
  const home = await product.newOrganization();
  const [one, demoted, disabled] = [
    await product.newSuperadmin(home),
    await product.newSuperadmin(home),
    await product.newSuperadmin(home),
  ];
  const ada = await recipient(admin);
  const at = nextTime();
  for (const author of [one, demoted, disabled]) {
    const sent = {
      token: author.token,
      headers: { 'x-organization-id': admin.organizationId },
      body: { contactId: ada.contactId, content: `From ${author.userId}`, sendAt: at.toISOString() },
    };
    expectStatus(await product.call('send-message', sent), 201);
  }
  for (const [{ userId: id }, body] of [
    [demoted, { accessRole: 'ADMIN' }],
    [disabled, { disabled: true }],
  ] as const) {
    const headers = { 'x-organization-id': home.organizationId };
    expectStatus(
      await product.call('update-user', { token: superadmin.token, headers, path: { id }, body }),
      200,
    );
  }
  expect(await run(at)).toMatchObject({ queued: 1, failed: 2 });
  expect(await ada.sent(at)).toEqual([`From ${one.userId}`]);
  const failures = (await ada.messages()).flatMap(
    ({ sentBy, failure }: { sentBy: string; failure: { code: string } | null }) =>
      failure ? [[sentBy, failure.code]] : [],
  );
  expect(Object.fromEntries(failures)).toEqual({
    [demoted.userId]: 'NO_ACCESS',
    [disabled.userId]: 'SENDER_DISABLED',
  });
});
