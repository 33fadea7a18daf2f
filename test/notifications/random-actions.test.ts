import { expect, test } from 'vitest';
import { after, second } from '../../shared/kernel/time.ts';
import type { Call } from '../harness/call.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { randomness } from '../harness/randomness.ts';
import { arrange, everyPage, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { countUnread, readEveryNotification } from './client.ts';
import { notifierIn } from './notifier.ts';
import { UnreadModel } from './unread-model.ts';

const product = await setUpProduct();
/** As many actions at once as there are users; the numbers are compared at the rounds `compared`. */
const rounds = { count: 125, actions: 16, length: 20 * second, compared: [62, 124] };
/** Two ADMINs, who see everything, and people who see what is theirs. */
const people = { users: 16, admins: 2, contacts: 24 };

const any = ['messages', 'messages', 'send', 'owner', 'conversation', 'read', 'note', 'unnote'] as const;
type Mode = (typeof any)[number];
const isOpen = (mode: Mode | undefined) => mode === undefined || mode === 'messages' || mode === 'read';

test('Numbers of unread notifications and messages are exact after 2,000 random actions by 16 users at once', async () => {
  const random = randomness(7);
  const admin = await product.newOrganization();
  const others = await Promise.all(
    Array.from({ length: people.users - 1 }, (_, index) =>
      product.newColleague(admin, index < people.admins - 1 ? 'ADMIN' : 'SALES_REP'),
    ),
  );
  const users = [admin, ...others];
  const webhook = await newWebhookClient(product, admin, admin);
  const notifier = notifierIn(product, admin.organizationId);
  const model = new UnreadModel(people.users, people.contacts);
  const start = Date.now();
  let at = new Date(start);

  const as = (user: number, name: string, more: Call = {}) =>
    arrange(product.call(name, { token: (users[user] as Person).token, at, ...more }));
  const contacts = await Promise.all(
    model.contacts.map(async ({ owner }) => {
      const number = newPhoneNumber();
      const body = { firstName: 'Ada', phoneNumbers: [{ value: number }], owner: users[owner]?.userId };
      const { data } = await as(0, 'create-contact', { body });
      return { number, id: data._id as string, conversationId: '' };
    }),
  );
  model.contacts.forEach(({ owner }, contact) => {
    model.assigned(contact, [owner], 0, start);
  });
  const indexOfContact = new Map(contacts.map(({ id }, index) => [id, index]));
  const idsOf = (some: readonly number[]) => some.map((user) => users[user]?.userId);
  const someUsers = () => [...new Set([random.below(people.users), random.below(people.users)])];
  /** Users who do something with their own notifications in this round, or whose mentions come or go. */
  const busy = new Set<number>();

  /** What happens to a contact in a round; what the model learns of it when the round is over. */
  const onContact: Record<Mode, (contact: number, round: number) => Promise<() => void>> = {
    async messages(contact, round) {
      const { number } = contacts[contact] ?? { number: '' };
      const { data } = await arrange(webhook.text({ From: number }, { at }));
      (contacts[contact] ?? { conversationId: '' }).conversationId = data.conversationId;
      const message = { id: data.messageId, isInbound: true, round };
      return () => {
        model.of(contact).messages.push(message);
        model.told(contact, 1, at.getTime());
      };
    },
    async send(contact, round) {
      const body = { contactId: contacts[contact]?.id, content: 'Hello' };
      const { data } = await as(0, 'send-message', { body });
      (contacts[contact] ?? { conversationId: '' }).conversationId = data.conversationId;
      return () => void model.of(contact).messages.push({ id: data._id, isInbound: false, round });
    },
    async owner(contact) {
      const [owner, by] = [random.below(people.users), random.below(people.admins)];
      const path = { id: contacts[contact]?.id ?? '' };
      await as(by, 'update-contact', { path, body: { owner: users[owner]?.userId } });
      return () => {
        const known = model.of(contact);
        model.assigned(contact, owner === known.owner ? [] : [owner], by, at.getTime());
        known.owner = owner;
      };
    },
    async conversation(contact) {
      const { conversationId: id = '' } = contacts[contact] ?? {};
      const assignees = random.chance(0.4) ? [] : someUsers();
      const by = random.below(people.admins);
      await as(by, 'update-conversation', { path: { id }, body: { assignees: idsOf(assignees) } });
      return () => {
        const known = model.of(contact);
        const fresh = assignees.filter((user) => !known.assignees.includes(user));
        model.assigned(contact, fresh, by, at.getTime());
        known.assignees = assignees;
      };
    },
    async read(contact) {
      const { owner, assignees, messages } = model.of(contact);
      const user = random.pick([0, 1, owner, ...assignees]);
      const alone = messages.filter(
        ({ round }) => messages.filter((message) => message.round === round).length === 1,
      );
      const known = [model.lastOf(contact), ...alone.map(({ id }) => id)];
      const upTo = random.chance(0.3) ? undefined : random.pick(known);
      const path = { id: contacts[contact]?.conversationId ?? '' };
      await as(user, 'mark-conversation-read', { path, body: upTo === undefined ? {} : { upTo } });
      return () => model.read(user, contact, upTo);
    },
    async note(contact) {
      const mentioned = someUsers().filter((user) => !busy.has(user));
      for (const user of mentioned) {
        busy.add(user);
      }
      const body = { contactId: contacts[contact]?.id, note: 'Look', mentions: idsOf(mentioned) };
      const { data } = await as(0, 'create-note', { body });
      return () => model.mentioned(contact, { id: data._id, users: mentioned }, at.getTime());
    },
    async unnote(contact, round) {
      const isFree = ({ users }: { users: readonly number[] }) => users.every((user) => !busy.has(user));
      const note = model.of(contact).notes.find(isFree);
      if (note === undefined) {
        return onContact.note(contact, round);
      }
      for (const user of note.users) {
        busy.add(user);
      }
      await as(0, 'delete-note', { path: { id: note.id } });
      return () => model.unmentioned(contact, note.id);
    },
  };

  /** What a user does with their own notifications. */
  async function onOwn(user: number): Promise<() => void> {
    const what = random.pick(['one', 'one', 'one', 'all', 'preferences'] as const);
    const wants = model.wants[user];
    if (what === 'preferences' && wants !== undefined) {
      const kind = random.pick(['messages', 'assignments'] as const);
      const wanted = random.chance(0.7);
      await as(user, 'update-notification-preferences', { body: { [kind]: wanted } });
      wants[kind] = wanted;
    } else if (what === 'all') {
      await as(user, 'mark-all-notifications-read');
      for (const notification of model.notificationsOf(user)) {
        notification.isRead = true;
      }
    } else {
      const { data } = await as(user, 'list-notifications', { query: { unread: 'true' } });
      const picked = data.length === 0 ? undefined : random.pick(data as Record<string, string>[]);
      if (picked !== undefined) {
        await as(user, 'mark-notification-read', { path: { id: picked._id ?? '' } });
        const contact = indexOfContact.get(picked.contactId ?? '');
        const since = Date.parse(picked.createdAt ?? '');
        const isIt = (one: { type: string; contact: number; isRead: boolean; since: number }) =>
          !one.isRead && one.type === picked.type && one.contact === contact && one.since === since;
        const told = model.notificationsOf(user).find(isIt);
        expect(told).toBeDefined();
        (told ?? { isRead: false }).isRead = true;
      }
    }
    return () => undefined;
  }

  /** Everybody sees the numbers that the model has. */
  async function expectExact() {
    for (const [user, person] of users.entries()) {
      const all = await readEveryNotification(product, person, { limit: '100' });
      const byKind = (kinds: { type: string; isRead: boolean; count?: number | undefined }[]) =>
        kinds.map(({ type, isRead, count = 0 }) => `${type} ${isRead} ${count}`).sort();
      expect(byKind(all)).toEqual(byKind(model.notificationsOf(user)));
      expect(await countUnread(product, person)).toBe(model.unreadNotifications(user));
      const listed = await everyPage<{ contactId: string; unreadCount: number; readUpTo: string | null }>(
        (query) => product.call('list-conversations', { token: person.token, query }),
        { limit: '100' },
      );
      expect(listed.length).toBeGreaterThanOrEqual(user < people.admins ? people.contacts : 0);
      for (const { contactId, unreadCount, readUpTo } of listed) {
        const contact = indexOfContact.get(contactId) ?? 0;
        expect({ unreadCount, readUpTo }).toEqual({
          unreadCount: model.unreadMessages(user, contact),
          readUpTo: model.readUpTo(user, contact),
        });
      }
    }
  }

  for (const [contact] of contacts.entries()) {
    (await onContact.messages(contact, -1))();
  }
  await notifier.take(at);
  for (let round = 0; round < rounds.count; round += 1) {
    at = after(new Date(start), (round + 1) * rounds.length);
    const modes = new Map<number, Mode>([[0, 'messages']]);
    busy.clear();
    const actions = Array.from({ length: rounds.actions }, () => {
      const user = random.below(people.users);
      if (random.chance(0.2) && !busy.has(user)) {
        busy.add(user);
        return onOwn(user);
      }
      // A contact is changed once in a round; more messages may come in, and more people may read.
      let contact = 0;
      do {
        contact = random.below(people.contacts);
      } while (!isOpen(modes.get(contact)));
      const mode = modes.get(contact) ?? random.pick(any);
      modes.set(contact, mode);
      return onContact[mode](contact, round);
    });
    for (const learn of await Promise.all(actions)) {
      learn();
    }
    // What taking the last round wrote is of that round's time.
    await notifier.take(at, after(at, -rounds.length));
    if (rounds.compared.includes(round)) {
      await notifier.takeAgain();
      await expectExact();
    }
  }
});
