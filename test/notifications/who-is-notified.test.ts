import { expect, test } from 'vitest';
import { stopEndpoint } from '../../functions/webhook-endpoints/model/stop-endpoint.ts';
import { grantSuperadmin } from '../../infra/grant-superadmin.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import type { Role } from '../../shared/kernel/caller.ts';
import { after, day, hour } from '../../shared/kernel/time.ts';
import { notificationTypes } from '../../shared/notifications/notification.ts';
import type { NotificationRequest } from '../../shared/notifications/notification-request.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { type Person, password } from '../harness/product.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { reminderRuns } from '../reminders/reminder-runs.ts';
import { newEndpoint } from '../webhook-endpoints/endpoints.ts';
import { countUnread, type NotificationRecord, readEveryNotification } from './client.ts';
import { notifierIn } from './notifier.ts';

const tenants = await setUpTenants();
const { product, admin, rep: colleague, otherRep } = tenants;
const notifier = notifierIn(product, admin.organizationId);
const runs = reminderRuns(product);
const webhook = await newWebhookClient(product, admin, otherRep);

type Type = (typeof notificationTypes)[number];

/** Source: in-effect, section 3. Undefined for what no preference decides. */
const preferenceFor: Record<Type, string | undefined> = {
  mention: undefined,
  message: 'messages',
  assignment: 'assignments',
  reminder: 'reminders',
  missed_call: 'calls',
  lead: 'assignments',
  automation: 'automationTriggers',
  workflow_failed: 'automationTriggers',
  import_finished: 'other',
  api_key_expiring: 'other',
  webhook_endpoint_disabled: 'other',
};

const roles: readonly Role[] = ['SALES_REP', 'DEPARTMENT_HEAD', 'ADMIN', 'SUPERADMIN'];
const seesEverything = (role: Role) => role === 'ADMIN' || role === 'SUPERADMIN';

const as = ({ token }: Person, name: string, more: object = {}) =>
  arrange(product.call(name, { token, ...more }));
const update = (contactId: string, body: object, by: Person = admin) =>
  as(by, 'update-contact', { path: { id: contactId }, body });

/** A contact that nobody but the ADMIN made, owned by somebody else unless stated. */
async function contactOf(owner: string | null = colleague.userId, more: object = {}): Promise<string> {
  const body = { firstName: 'Ada', lastName: 'Lovelace', owner, ...more };
  return (await as(admin, 'create-contact', { body })).data._id;
}

/** Stores an event that asks for notifications, as the transaction of a cause does. */
async function ask(notify: NotificationRequest, contactId?: string): Promise<void> {
  const { table, moment } = product.tableOf(admin.organizationId);
  const id = moment.newId();
  const data = {
    workflowId: id,
    userId: admin.userId,
    change: 'updated',
    name: 'Test',
    enabled: true,
    updatedAt: moment.now.toISOString(),
    ...(contactId === undefined ? {} : { contactId }),
  } as const;
  const audience = { kind: 'organization' } as const;
  await table.commit([
    eventAction(table, { event: 'workflow_updated', data, audience, notify }, id, moment.now),
  ]);
}

/**
 * The cause of each type, about a record that the user has, or about one that the user has not, or no longer: what tells it from the
 * others' notifications.
 */
const causes: Record<Type, (user: Person, isOwn: boolean) => Promise<Partial<NotificationRecord>>> = {
  async mention(user, isOwn) {
    const contactId = await contactOf(isOwn ? user.userId : undefined);
    await as(admin, 'create-note', { body: { contactId, note: 'See this', mentions: [user.userId] } });
    return { contactId };
  },
  async reminder(user, isOwn) {
    const contactId = await contactOf(user.userId);
    await runs.remind(user, contactId, after(new Date(), hour));
    await (isOwn || update(contactId, { owner: colleague.userId }));
    return { contactId };
  },
  async message(user, isOwn) {
    const number = newPhoneNumber();
    const phoneNumbers = [{ value: number }];
    const contactId = await contactOf(isOwn ? user.userId : undefined, { phoneNumbers });
    await arrange(webhook.text({ From: number }));
    return { contactId };
  },
  async assignment(user, isOwn) {
    const contactId = await contactOf();
    await update(contactId, { assignees: [user.userId] });
    await (isOwn || update(contactId, { assignees: [] }));
    return { contactId };
  },
  async lead(user, isOwn) {
    const ownerId = isOwn ? user.userId : colleague.userId;
    const body = { name: `Leads ${newPhoneNumber()}`, ownerId };
    const { data } = await as(admin, 'create-outreach-configuration', { body });
    const lead = { configurationId: data._id, phoneNumber: newPhoneNumber(), firstName: 'A', lastName: 'B' };
    const response = await arrange(product.call('receive-lead', { body: lead }));
    return { contactId: response.data.contactId };
  },
  async missed_call(user, isOwn) {
    const callerNumber = newPhoneNumber();
    const contactId = await contactOf(user.userId, { phoneNumbers: [{ value: callerNumber }] });
    const { call } = await as(isOwn ? user : colleague, 'record-missed-call', { body: { callerNumber } });
    return { contactId, callId: call._id };
  },
  async automation(user, isOwn) {
    const contactId = await contactOf(isOwn ? user.userId : undefined);
    await as(admin, 'notify-user', { body: { contactId, userId: user.userId, message: 'See this' } });
    return { contactId };
  },
  async workflow_failed(user, isOwn) {
    const contactId = await contactOf(isOwn ? user.userId : undefined);
    await ask({ type: 'workflow_failed', to: [user.userId], message: 'Step 3' }, contactId);
    return { contactId };
  },
  async import_finished(user, isOwn) {
    const message = `import ${newPhoneNumber()}`;
    await ask({ type: 'import_finished', to: [isOwn ? user.userId : colleague.userId], message });
    return { message };
  },
  async api_key_expiring() {
    const name = `Key ${newPhoneNumber()}`;
    const expiresAt = after(new Date(), 7 * day + hour).toISOString();
    await as(admin, 'create-api-key', { body: { name, access: 'read', expiresAt } });
    return { title: `API key expires: ${name}` };
  },
  async webhook_endpoint_disabled() {
    const host = `receiver-${newPhoneNumber().slice(1)}.invalid`;
    const { id } = await newEndpoint(product, admin, { url: `https://${host}/` });
    const { table, moment } = product.tableOf(admin.organizationId);
    await stopEndpoint(table, { _id: id, activation: 1 }, 'gone', moment);
    return {
      message: `The address answered that it is gone (410). Nothing is posted to ${host} until somebody switches it on again.`,
    };
  },
};

/** What administrators are told, whoever it is about. */
const forAdmins: readonly Type[] = ['api_key_expiring', 'webhook_endpoint_disabled'];

/** Whether the user must have it. */
function mustHave(type: Type, role: Role, isWanted: boolean, isOwn: boolean): boolean {
  if (type === 'mention') {
    return true;
  }
  if (forAdmins.includes(type)) {
    return isWanted && seesEverything(role);
  }
  // Nobody but these users is told, whoever else sees the record.
  const isForOthers = !isOwn && ['message', 'lead', 'missed_call', 'import_finished'].includes(type);
  return isWanted && !isForOthers && (isOwn || seesEverything(role));
}

/** For each role and preference a user with everything, who may have nothing of it. */
const users = await Promise.all(
  [true, false].flatMap((isWanted) =>
    roles.map(async (role) => {
      const user = await product.newColleague(admin, role === 'SUPERADMIN' ? 'ADMIN' : role);
      if (role === 'SUPERADMIN') {
        await grantSuperadmin(user.email, { ...process.env, TABLE_NAME: product.tableName });
      }
      const off = Object.values(preferenceFor).flatMap((kind) => (kind === undefined ? [] : [[kind, false]]));
      const body = isWanted ? {} : { mentions: false, ...Object.fromEntries(off) };
      await as(user, 'update-notification-preferences', { body });
      const marks = new Map<string, Partial<NotificationRecord>>();
      for (const type of notificationTypes) {
        for (const isOwn of [true, false]) {
          marks.set(`${type} ${isOwn}`, await causes[type](user, isOwn));
        }
      }
      return { user, role, isWanted, marks };
    }),
  ),
);
const now = new Date();
await notifier.take(now);
await notifier.takeAgain();
await runs.run(after(now, day));
const stored = new Map(
  await Promise.all(
    users.map(async ({ user }) => [user.userId, await readEveryNotification(product, user)] as const),
  ),
);

const cases = users.flatMap(({ user, role, isWanted, marks }) =>
  notificationTypes.flatMap((type) =>
    [true, false].map((isOwn) => ({
      ...{ type, role, isWanted, isOwn, user, mark: marks.get(`${type} ${isOwn}`) ?? {} },
      count: mustHave(type, role, isWanted, isOwn) ? 1 : 0,
    })),
  ),
);

test.each(cases)(
  'A notification of the type $type for a $role whose preference is $isWanted, about a record of their own: $isOwn, is stored so often: $count',
  ({ type, user, mark, count }) => {
    const found = (stored.get(user.userId) ?? []).filter(
      (notification) =>
        notification.type === type &&
        Object.entries(mark).every(([key, value]) => notification[key as '_id'] === value),
    );
    expect(found).toHaveLength(count);
  },
);

test('The number of unread notifications is exactly that of all of them', async () => {
  for (const { user, role, isWanted } of users) {
    const others = cases.filter(
      ({ user: of, type }) => of === user && type !== 'assignment' && !forAdmins.includes(type),
    );
    // Eight of the records were assigned to the user, and of two that were taken back at once only some keep sight.
    const assignments = isWanted ? (seesEverything(role) ? 10 : 8) : 0;
    // Of every key and endpoint, whoever it was made for.
    const keys = isWanted && seesEverything(role) ? forAdmins.length * 2 * users.length : 0;
    const expected = others.reduce((sum, { count }) => sum + count, assignments + keys);
    expect(stored.get(user.userId)).toHaveLength(expected);
    expect(await countUnread(product, user)).toBe(expected);
  }
});

test('A disabled user is notified of nothing', async () => {
  const user = await product.newColleague(admin);
  const disable = (disabled: boolean) =>
    as(admin, 'update-user', { path: { id: user.userId }, body: { disabled } });
  await contactOf(user.userId);
  await ask({ type: 'import_finished', to: [user.userId] });
  await disable(true);
  await notifier.take();
  await disable(false);
  const { token } = await arrange(product.call('login', { body: { email: user.email, password } }));
  expect(await readEveryNotification(product, { ...user, token })).toEqual([]);
});
