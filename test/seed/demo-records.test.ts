import { expect, test } from 'vitest';
import { hasOptedOut, toConsent } from '../../shared/contacts/consent.ts';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { type CallRecord, callsClient } from '../calls/client.ts';
import { expectLinked, readRecords } from '../calls/consistency.ts';
import type { Person } from '../harness/product.ts';
import { arrange, everyPage } from '../harness/tenants.ts';
import { organizationsClient } from '../organizations/client.ts';
import { demoTests } from './demo.ts';

const tests = await demoTests();

test('A demo contact has the last message of its conversations, and each of these its own', async () => {
  const rows = await tests.rows();
  const dataUnder = (kind: string) =>
    rows
      .filter(
        ({ pk, sk }) => pk.includes('#CONTACT#') && (kind.endsWith('#') ? sk.startsWith(kind) : sk === kind),
      )
      .map(({ data }) => data as Data);
  type Data = Record<string, string & number & string[]>;
  const isSaid = ({ status }: Data) => status !== 'scheduled';
  const messages = Map.groupBy(dataUnder('MESSAGE#'), ({ conversationId }) => conversationId);
  const conversations = Map.groupBy(dataUnder('CONVERSATION#'), ({ contactId }) => contactId);

  expect(conversations.size).toBeGreaterThan(100);
  for (const conversation of [...conversations.values()].flat()) {
    const own = messages.get(conversation._id ?? ('' as never)) ?? [];
    expect(own).toHaveLength(conversation.messageCount ?? -1);
    expect(own.filter(isSaid).at(-1) ?? { content: null, createdAt: null }).toMatchObject({
      content: conversation.lastMessage,
      createdAt: conversation.lastMessageAt,
    });
  }
  for (const contact of dataUnder('CONTACT')) {
    const own = conversations.get(contact._id ?? ('' as never)) ?? [];
    const last = own.flatMap(({ _id }) => messages.get(_id ?? ('' as never)) ?? []).filter(isSaid);
    const latest = last.sort((a, b) => ((a.createdAt ?? '') < (b.createdAt ?? '') ? -1 : 1)).at(-1);
    expect(contact.lastMessageAt).toBe(latest?.createdAt ?? null);
    expect(contact.lastMessageDirection).toBe(latest?.direction ?? null);
    for (const { createdAt } of last) {
      expect(String(createdAt) >= String(contact.createdAt)).toBe(true);
    }
    expect(new Set(contact.conversationAssignees)).toEqual(
      new Set(own.flatMap(({ assignees }) => assignees)),
    );
  }
});

test('The demo rep has unread notifications of messages, leads, assignments and missed calls, about contacts that the rep sees', async () => {
  const { token } = await tests.logIn('rep@example.com');
  const { body } = await tests.product.call('list-notifications', { token, query: { limit: '100' } });
  for (const type of ['message', 'lead', 'assignment', 'missed_call']) {
    const own = body.data.filter((one: { type: string }) => one.type === type);
    expect(own.length, type).toBeGreaterThan(0);
    for (const { contactId, isRead } of own) {
      expect(isRead).toBe(false);
      const { status } = await tests.product.call('read-contact', { token, path: { id: contactId } });
      expect(status).toBe(200);
    }
  }
});

test.each(['admin', 'rep'])(
  'The demo %s has read most conversations, and not the latest messages',
  async (who) => {
    const { token } = await tests.logIn(`${who}@example.com`);
    const { body } = await tests.product.call('list-conversations', { token, query: { limit: '100' } });
    const unread = body.data.filter(({ unreadCount }: { unreadCount: number }) => unreadCount > 0);
    expect(unread.length).toBeGreaterThan(0);
    expect(unread.length).toBeLessThan(body.data.length / 2);
  },
);

test('The demo admin, head and rep each see workflows that are on and some that are off', async () => {
  const seen = await Promise.all(
    ['admin', 'head', 'rep'].map(async (who) => {
      const { token } = await tests.logIn(`${who}@example.com`);
      const { status, body } = await tests.product.call('list-workflows', { token });
      expect(status).toBe(200);
      return body.data as {
        name: string;
        enabled: boolean;
        nodes: { id: string }[];
        edges: { source: string; target: string }[];
      }[];
    }),
  );

  expect(seen.map((workflows) => workflows.length)).toEqual([9, 3, 2]);
  for (const workflows of seen) {
    expect(new Set(workflows.map(({ enabled }) => enabled))).toEqual(new Set([true, false]));
    for (const { nodes, edges } of workflows) {
      const known = new Set(nodes.map(({ id }) => id));
      expect(edges.every(({ source, target }) => known.has(source) && known.has(target))).toBe(true);
    }
  }
});

test.each(['admin', 'head', 'rep'])('The demo %s has kept conversations as examples', async (who) => {
  const { token, user } = await tests.logIn(`${who}@example.com`);
  const { body } = await tests.product.call('list-training-snapshots', { token });
  const makers = body.data.map(({ createdBy }: { createdBy: string }) => createdBy);
  expect(new Set(makers)).toEqual(new Set([user.id]));
});

test('Demo leads of the last month are counted for the admin, the head and the rep, each for their own scope', async () => {
  const metrics = await Promise.all(
    ['admin', 'head', 'rep'].map(async (who) => {
      const { token } = await tests.logIn(`${who}@example.com`);
      const { status, body } = await tests.product.call('read-outreach-metrics', { token });
      expect(status).toBe(200);
      return body.data;
    }),
  );
  const [all, team, own] = metrics.map(({ totals }) => totals.leads);

  expect(own).toBeGreaterThan(0);
  expect(team).toBeGreaterThan(own);
  expect(all).toBeGreaterThan(team);
  expect(metrics[0].totals).toMatchObject({
    duplicates: expect.any(Number),
    applications: expect.any(Number),
  });
  expect(metrics[0].bySource.map(({ source }: { source: string }) => source).sort()).toEqual([
    'Newsletter',
    'Trade fair',
    'Website',
  ]);
});

test('The demo admin has outreach configurations, signed and unsigned, active and not, and leads can be sent at once', async () => {
  const { token } = await tests.logIn('admin@example.com');
  const { body } = await tests.product.call('list-outreach-configurations', { token });
  const configurations = body.data as { _id: string; hasSecret: boolean; isActive: boolean }[];
  const lead = { phoneNumber: '+15550101815', firstName: 'Ada', lastName: 'Lovelace' };
  const answers = await Promise.all(
    configurations.map(({ _id }) =>
      tests.product.call('receive-lead', { body: { configurationId: _id, ...lead } }),
    ),
  );

  expect(answers.map(({ status }) => status)).toEqual(
    configurations.map(({ hasSecret, isActive }) => (hasSecret ? 401 : isActive ? 200 : 400)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 401]);
});

test('One of the well-known people of the demo data has opted out of text messages', async () => {
  const rows = await tests.rows();
  const contacts = rows.filter(({ sk }) => sk === 'CONTACT').map(({ data }) => data as StoredContact);
  const out = contacts.filter((contact) => hasOptedOut(contact));
  expect(out.map((contact) => [contact.lastName, toConsent(contact).source])).toEqual([
    ['Babbage', 'keyword'],
  ]);
});

test.each([
  ['Ada', demo.ada],
  ['Hedy', demo.hedy],
])('"Arrays newest first, messages oldest first": so are the separation data of %s', async (_, id) => {
  const { token } = await tests.logIn('admin@example.com');
  const { body } = await tests.product.call('read-separation-data', { token, path: { id } });
  const { contact, conversationMessages, ...arrays } = body.data;
  expect(contact._id).toBe(id);
  const times = (records: { createdAt: string }[]) => records.map(({ createdAt }) => createdAt);
  for (const [name, records] of Object.entries<{ createdAt: string }[]>(arrays)) {
    expect(times(records), name).toEqual(times(records).sort().reverse());
  }
  for (const messages of Object.values<{ createdAt: string }[]>(conversationMessages)) {
    expect(times(messages)).toEqual(times(messages).sort());
  }
});

/** Somebody of the demo data, as the clients of operations take people. */
async function signedIn(who: string): Promise<Person> {
  const session = await tests.logIn(`${who}@example.com`);
  const { id: userId, organizationId } = session.user;
  return { ...session, userId, organizationId } as unknown as Person;
}

test.each(['rep', 'head', 'admin'])(
  'The demo %s has made calls, and sees calls that ended in several ways',
  async (who) => {
    const person = await signedIn(who);
    const own = callsClient(tests.product, person);
    const calls: CallRecord[] = (await own.list({ limit: '100' })).body.data;
    expect(calls.length).toBeGreaterThan(10);
    expect(new Set(calls.map(({ status }) => status)).size).toBeGreaterThan(2);
    expect(new Set(calls.map(({ direction }) => direction)).size).toBe(2);
    for (const { startTime, endTime, duration } of calls.filter(({ endTime }) => endTime !== undefined)) {
      expect(duration).toBe((Date.parse(endTime ?? '') - Date.parse(startTime)) / 1_000);
      expect(Date.parse(endTime ?? '')).toBeLessThan(Date.now());
    }
    expect(await own.ids({ userId: person.userId })).not.toEqual([]);
  },
);

test('The demo organization has hours, a message and a policy for missed calls, and missed calls that tell what followed', async () => {
  const { product } = tests;
  const admin = await signedIn('admin');
  const ask = organizationsClient(product, admin);
  const hours = (await arrange(ask('read-business-hours'))).data;
  expect(Object.keys(hours.businessHours).length).toBeGreaterThan(4);
  expect([hours.holidays.length, hours.exceptionalHours.length].every((length) => length > 0)).toBe(true);
  const path = { organizationId: admin.organizationId };
  const query = { at: `${tests.now.getUTCFullYear() + 1}-01-01T17:00:00Z` };
  const { data } = await arrange(product.call('read-opening', { token: admin.token, path, query }));
  expect(data).toMatchObject({ open: false, because: 'holiday', opensAt: expect.any(String) });
  expect((await ask('read-missed-call-message')).body).toMatchObject({
    missedCallMessage: expect.stringContaining('{{contactName}}'),
    missedCallAutoMessageEnabled: true,
  });
  expect((await arrange(ask('read-missed-call-policy'))).data).toMatchObject({ otherwise: 'at_opening' });
  const calls: CallRecord[] = await everyPage((query) => callsClient(product, admin).list(query), {
    limit: '100',
  });
  const missed = calls.filter(({ missedCall }) => missedCall !== undefined);
  expect(missed.length).toBeGreaterThan(0);
  expect(new Set(missed.map(({ missedCall }) => missedCall?.outcome))).toContain('sent');
});

test('Calls, conversations and contacts of the demo data hang together as the operations leave them', async () => {
  const { organizationId } = await signedIn('admin');
  expectLinked(await readRecords(tests.product, organizationId));
});
