import { expect, test } from 'vitest';
import { day, hour, minute } from '../../shared/kernel/time.ts';
import { reminderKey } from '../../shared/notes/reminder.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, startTenants } from '../harness/tenants.ts';
import { countUnread, readNotifications } from '../notifications/client.ts';
import { later, reminderRuns } from './reminder-runs.ts';

const tenants = await setUpTenants();
const { product, admin, superadmin, foreignAdmin, foreignRep } = tenants;
const { nextTime, remind, run, remindersOf, eventsAt, waitingAt } = reminderRuns(product);

const newRep = () => product.newColleague(admin);
const call = (name: string, { token }: Person, more: object = {}) => product.call(name, { token, ...more });
const create = async (person: Person, fields: Record<string, unknown> = {}): Promise<string> =>
  expectStatus(await call('create-contact', person, { body: { firstName: 'Ada', ...fields } }), 201).data._id;
const notificationsFor = async (person: Person) => (await readNotifications(product, person)).data;
const fired = async (person: Person) => (await remindersOf(person)).map(({ fired }) => fired);
const heard = async (person: Person) => ({
  unread: await countUnread(product, person),
  messages: (await notificationsFor(person)).map(({ message }) => message),
});

const nothing = { unread: 0, messages: [] };

test('A reminder fires at its time and not before: its maker has an unread notification, and it stays listed', async () => {
  const rep = await newRep();
  const contactId = await create(rep, { lastName: 'Lovelace' });
  const at = nextTime();
  const reminder = await remind(rep, contactId, at, 'Call  back\nabout the offer');

  await run(later(at, -1));
  expect(await remindersOf(rep)).toEqual([reminder]);
  expect(await heard(rep)).toEqual(nothing);

  await run(at);
  const firedReminder = { ...reminder, fired: true, updatedAt: at.toISOString() };
  expect(await remindersOf(rep)).toEqual([firedReminder]);
  expect((await call('list-reminders', rep, { query: { contactId } })).body.data).toEqual([firedReminder]);
  expect(await countUnread(product, rep)).toBe(1);
  expect(await notificationsFor(rep)).toEqual([
    {
      _id: expect.any(String),
      userId: rep.userId,
      type: 'reminder',
      title: 'Reminder: Ada Lovelace',
      message: 'Call back about the offer',
      contactId,
      reminderId: reminder._id,
      isRead: false,
      createdAt: at.toISOString(),
    },
  ]);

  await run(later(at, minute));
  expect(await countUnread(product, rep)).toBe(1);
});

test('A reminder pings the open sockets of its maker alone, with the notification', async () => {
  const rep = await newRep();
  const contactId = await create(rep);
  const at = nextTime();
  const { _id: reminderId } = await remind(rep, contactId, at);
  await run(at);
  const [notification] = await notificationsFor(rep);
  const { userId: _, ...rest } = notification ?? {};
  expect(await eventsAt(rep.organizationId, at)).toEqual([
    {
      id: expect.any(String),
      event: 'notification_created',
      at: at.toISOString(),
      actor: { type: 'system' },
      data: { notificationId: notification?._id, contactId, reminderId, notification: rest },
      audience: { kind: 'users', userIds: [rep.userId] },
      change: { reminder: { userId: rep.userId } },
    },
  ]);
});

/** What workflows alone learn of. */
const toNobody = { event: 'notification_created', audience: { kind: 'users', userIds: [] } };

test.each([
  ['email address', 'ada@example.com', { email: 'ada@example.com' }],
  ['number', '+99912345678901', { phoneNumbers: [{ value: '+99912345678901' }] }],
])(
  'A reminder names a contact without a name by the %s, and shows the beginning of a long note',
  async (_, name, fields) => {
    const rep = await newRep();
    const at = nextTime();
    await remind(rep, await create(rep, { firstName: '', ...fields }), at, '👩‍🔧 and so on '.repeat(100));
    await run(at);
    const [notification] = await notificationsFor(rep);
    expect(notification?.title).toBe(`Reminder: ${name}`);
    expect([...(notification?.message ?? '')].length).toBeLessThanOrEqual(200);
    expect(notification?.message).toMatch(/^👩‍🔧 and so on 👩‍🔧.*…$/u);
  },
);

test('A reminder that its maker does not want to be notified of fires in silence', async () => {
  const rep = await newRep();
  await arrange(call('update-notification-preferences', rep, { body: { reminders: false } }));
  const at = nextTime();
  await remind(rep, await create(rep), at);
  await run(at);
  expect(await fired(rep)).toEqual([true]);
  expect(await heard(rep)).toEqual(nothing);
  expect(await eventsAt(rep.organizationId, at)).toMatchObject([toNobody]);
});

test('A reminder of a contact that was given to somebody else fires silently: its creator may no longer know of it', async () => {
  const rep = await newRep();
  const contactId = await create(admin, { assignees: [rep.userId] });
  const at = nextTime();
  await remind(rep, contactId, at);
  expectStatus(
    await call('update-contact', admin, { path: { id: contactId }, body: { assignees: [] } }),
    200,
  );
  await run(at);
  expect(await fired(rep)).toEqual([true]);
  expect(await heard(rep)).toEqual(nothing);
});

test('A reminder of a DEPARTMENT_HEAD fires for a contact of their department, and in silence once that has lost its owner', async () => {
  const { head, rep } = tenants;
  const [kept, lost] = [await create(rep), await create(admin, { assignees: [rep.userId] })];
  const at = nextTime();
  await remind(head, kept, at, 'Kept');
  await remind(head, lost, at, 'Lost');
  expectStatus(await call('update-contact', admin, { path: { id: lost }, body: { assignees: [] } }), 200);
  await run(at);
  expect(await fired(head)).toEqual([true, true]);
  expect(await heard(head)).toEqual({ unread: 1, messages: ['Kept'] });
});

test('A reminder of a user who is disabled, or acts from another organization, fires in silence', async () => {
  const rep = await newRep();
  const contactId = await create(rep);
  const at = nextTime();
  await remind(rep, contactId, at);
  const headers = { 'x-organization-id': admin.organizationId };
  const body = { contactId, note: 'From above', remindAt: at.toISOString() };
  expectStatus(await call('create-reminder', superadmin, { headers, body }), 201);
  expectStatus(await call('update-user', admin, { path: { id: rep.userId }, body: { disabled: true } }), 200);
  expect(await run(at)).toMatchObject({ silent: 2, notified: 0 });
  const { body: listed } = await call('list-reminders', admin, { query: { contactId } });
  expect(listed.data).toMatchObject([{ fired: true }, { fired: true }]);
  expect(await eventsAt(admin.organizationId, at)).toMatchObject([toNobody, toNobody]);
});

test('A reminder that was deleted never fires', async () => {
  const rep = await newRep();
  const at = nextTime();
  const { _id: id } = await remind(rep, await create(rep), at);
  expectStatus(await call('delete-reminder', rep, { path: { id } }), 200);
  expect(await waitingAt(at)).toBe(0);
  await run(at);
  expect(await heard(rep)).toEqual(nothing);
});

test('A reminder that has fired can be deleted, and takes its notification along', async () => {
  const rep = await newRep();
  const at = nextTime();
  const contact = await create(rep);
  const { _id: id } = await remind(rep, contact, at);
  const { _id: other } = await remind(rep, contact, at);
  await run(at);
  expectStatus(await call('delete-reminder', rep, { path: { id } }), 200);
  expect((await remindersOf(rep)).map(({ _id }) => _id)).toEqual([other]);
  expect((await notificationsFor(rep)).map(({ reminderId }) => reminderId)).toEqual([other]);
  expect(await countUnread(product, rep)).toBe(1);
});

test('A reminder of a deleted contact vanishes without a word, swept away by then or not', async () => {
  const rep = await newRep();
  const [unswept, swept] = [await create(rep), await create(rep)];
  const at = nextTime();
  await remind(rep, unswept, at);
  const { _id } = await remind(rep, swept, at);
  for (const id of [unswept, swept]) {
    expectStatus(await call('delete-contact', rep, { path: { id } }), 200);
  }
  const { table } = product.tableOf(rep.organizationId);
  await table.commit([table.delete(reminderKey(_id))]);

  expect(await run(at)).toMatchObject({ gone: 2 });
  expect(await remindersOf(rep)).toEqual([]);
  expect(await waitingAt(at)).toBe(0);
  expect(await heard(rep)).toEqual(nothing);
});

test('A reminder of one organization sends no event to another', async () => {
  const { rep } = tenants;
  const at = nextTime();
  const before = await countUnread(product, rep);
  await remind(rep, await create(rep), at, 'Ours');
  await remind(foreignRep, await create(foreignRep), at, 'Theirs');
  await run(at);
  expect((await notificationsFor(rep))[0]?.message).toBe('Ours');
  expect(await countUnread(product, rep)).toBe(before + 1);
  expect(await heard(foreignRep)).toEqual({ unread: 1, messages: ['Theirs'] });
  expect(await heard(foreignAdmin)).toEqual(nothing);
  const audiences = async ({ organizationId }: Person) =>
    (await eventsAt(organizationId, at)).map(({ audience }) => audience);
  expect(await audiences(admin)).toEqual([{ kind: 'users', userIds: [rep.userId] }]);
  expect(await audiences(foreignAdmin)).toEqual([{ kind: 'users', userIds: [foreignRep.userId] }]);
});

test('A reminder for a time that is past fires at the next run', async () => {
  const early = await startTenants();
  try {
    const { product, rep } = early;
    const { run, remind, remindersOf } = reminderRuns(product);
    const { _id: contactId } = await early.newContact();
    const now = new Date();
    await run(now);
    await remind(rep, contactId, later(now, -hour), 'An hour ago');
    await remind(rep, contactId, later(now, -400 * day), 'A year ago');
    await run(later(now, minute));
    expect((await remindersOf(rep)).map(({ fired }) => fired)).toEqual([true, true]);
    const { data } = await readNotifications(product, rep);
    expect(data.map(({ message }) => message).sort()).toEqual(['A year ago', 'An hour ago']);
  } finally {
    await early.product.stop();
  }
});
