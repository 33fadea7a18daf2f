import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomness } from '../../infra/local/seed/randomness.ts';
import { seed } from '../../infra/local/seed/seed.ts';
import { wellKnownContacts } from '../../infra/local/seed/well-known-contacts.ts';
import * as demo from '../../shared/demo-ids.ts';
import { type Product, startProduct } from '../harness/product.ts';
import { rowsOf } from './table.ts';

const password = 'switchboard-demo';
const now = new Date();
let product: Product;
let endpoint: string;

interface Contact {
  readonly _id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string | null;
  readonly phoneNumbers: { readonly value: string }[];
  readonly createdBy: string;
  readonly owner: string | null;
  readonly assignees: string[];
  readonly customFields: Record<string, unknown>;
}
type Buckets = Record<string, { contacts: Contact[]; total: number }>;

beforeAll(async () => {
  product = await startProduct();
  endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  await seed({ dynamodbEndpoint: endpoint, tableName: product.tableName, demo: true, password, now });
});

afterAll(() => product?.stop());

async function logIn(email: string) {
  const { status, body } = await product.call('login', { body: { email, password } });
  expect(status).toBe(200);
  return body as { token: string; user: { id: string; accessRole: string; organizationId: string } };
}

async function board(token: string, query: Record<string, unknown> = {}): Promise<Buckets> {
  const { status, body } = await product.call('list-contacts-by-stage', { token, body: query });
  expect(status).toBe(200);
  return body.data;
}

/** All contacts that a query finds, page by page, with the totals it claims. */
async function everyPage(token: string, query: Record<string, unknown> = {}) {
  const first = await board(token, { ...query, size: 100 });
  const stages = await Promise.all(
    Object.entries(first).map(async ([stage, { total, contacts }]) => {
      const pages = Array.from({ length: Math.ceil(total / 100) }, (_, index) => index + 2);
      const others = await Promise.all(
        pages.map(
          async (page) => (await board(token, { ...query, size: 100, page: { [stage]: page } }))[stage],
        ),
      );
      return { stage, total, contacts: [...contacts, ...others.flatMap((other) => other?.contacts ?? [])] };
    }),
  );
  return { stages, contacts: stages.flatMap(({ contacts }) => contacts) };
}

const totalOf = (buckets: Buckets) => Object.values(buckets).reduce((sum, { total }) => sum + total, 0);

test.each([
  ['superadmin@example.com', 'SUPERADMIN'],
  ['admin@example.com', 'ADMIN'],
  ['head@example.com', 'DEPARTMENT_HEAD'],
  ['rep@example.com', 'SALES_REP'],
])('%s logs in as %s', async (email, accessRole) => {
  expect((await logIn(email)).user).toMatchObject({ email, accessRole });
});

test('the superadmin belongs to an organization of its own, the others to one', async () => {
  const emails = ['superadmin@example.com', 'admin@example.com', 'head@example.com', 'rep@example.com'];
  const organizations = await Promise.all(
    emails.map(async (email) => (await logIn(email)).user.organizationId),
  );

  expect(new Set(organizations.slice(1)).size).toBe(1);
  expect(organizations[0]).not.toBe(organizations[1]);
});

test('the board of the admin has contacts in every stage, and its totals are what all pages hold', async () => {
  const { token } = await logIn('admin@example.com');

  const { stages, contacts } = await everyPage(token);

  expect(stages.map(({ stage }) => stage)).toEqual(['New', 'Contacted', 'Qualified', 'Won', 'Lost']);
  for (const stage of stages) {
    expect(stage.contacts.length).toBe(stage.total);
    expect(stage.total).toBeGreaterThanOrEqual(20);
  }
  expect(new Set(contacts.map(({ _id }) => _id)).size).toBeGreaterThanOrEqual(300);
});

test('a dozen well-known people come first in every stage, with an e-mail address and a number of nobody', async () => {
  const { token } = await logIn('admin@example.com');

  const columns = Object.entries(await board(token, { size: 100 }));

  for (const [stage, { contacts }] of columns) {
    const isWellKnown = contacts.map(({ email, phoneNumbers: [number] }) =>
      Boolean(email?.endsWith('@example.com') && number?.value.startsWith('+1303555')),
    );
    expect(isWellKnown.indexOf(false), stage).toBe(12);
    expect(isWellKnown.slice(12), stage).not.toContain(true);
  }
  expect(columns[0]?.[1].contacts[0]).toMatchObject({
    _id: demo.ada,
    firstName: 'Ada',
    lastName: 'Lovelace',
  });
});

test('well-known people have the same ids whenever they are seeded', () => {
  const seeded = (at: Date) =>
    wellKnownContacts(demo.organization, [{ pipelineId: 'pipeline', stageId: 'stage' }], at, randomness(5));

  const [first, second] = [seeded(now), seeded(new Date('2030-02-01T08:00:00.000Z'))].map((contacts) =>
    contacts.map(({ _id, phoneNumbers }) => ({ _id, phoneNumbers })),
  );

  expect(first).toHaveLength(60);
  expect(first).toEqual(second);
});

test('the rep sees only their own contacts, the head those of the team, the admin all', async () => {
  const [rep, head, admin] = await Promise.all(
    ['rep', 'head', 'admin'].map((who) => logIn(`${who}@example.com`)),
  );
  const [own, team, all] = await Promise.all([rep, head, admin].map((who) => everyPage(who?.token ?? '')));

  expect(own?.contacts.length).toBeGreaterThan(20);
  for (const { createdBy, owner, assignees } of own?.contacts ?? []) {
    expect([createdBy, owner, ...assignees]).toContain(rep?.user.id);
  }
  const ofTeam = new Set(team?.contacts.map(({ _id }) => _id));
  expect(own?.contacts.every(({ _id }) => ofTeam.has(_id))).toBe(true);
  expect(ofTeam.size).toBeGreaterThan(own?.contacts.length ?? 0);
  expect(ofTeam.size).toBeLessThan(all?.contacts.length ?? 0);
});

test('names are written in many scripts', async () => {
  const { token } = await logIn('admin@example.com');
  const names = (await everyPage(token)).contacts.map(
    ({ firstName, lastName }) => `${firstName} ${lastName}`,
  );

  const scripts = 'Latin Cyrillic Greek Arabic Hebrew Armenian Georgian Devanagari Thai Han Hangul'.split(
    ' ',
  );
  for (const script of scripts) {
    const letters = new RegExp(`\\p{Script=${script}}`, 'u');
    expect(names.filter((name) => letters.test(name)).length, script).toBeGreaterThan(2);
  }
});

test('a custom field may have the name of something that every object has', async () => {
  const { token } = await logIn('admin@example.com');
  const found = await everyPage(token, { customFilters: { constructor: 'foster' } });

  expect(found.contacts).toHaveLength(1);
  expect(Object.hasOwn(found.contacts[0]?.customFields ?? {}, 'constructor')).toBe(true);
});

describe('filters find some contacts, but not all', () => {
  const at = (daysAgo: number) => new Date(now.getTime() - daysAgo * 86_400_000).toISOString();

  test.each<[string, Record<string, unknown>]>([
    ['search for a name', { search: 'zoë nguyễn' }],
    ['search for a number', { search: '555' }],
    ['my', { ownerFilter: 'my' }],
    ['unassigned', { ownerFilter: 'unassigned' }],
    ['creation', { createdDateRange: { start: at(30), end: at(7) } }],
    ['source', { source: 'Referral' }],
    ['bulk import', { bulkOnly: true }],
    ['answered', { messageStatus: 'answered' }],
    ['unanswered', { messageStatus: 'unanswered' }],
    ['silent for a week', { lastMessageTimeRange: { value: 7, unit: 'days' } }],
    ['last message', { lastMessageDateRange: { start: at(2) } }],
    ['pattern in a custom field', { customFilters: { city: '^M' } }],
    ['number in a custom field', { customFilters: { budget: [1_000, 2_500, 5_000, 7_500] } }],
    ['boolean in a custom field', { customFilters: { newsletter: true } }],
    ['list in a custom field', { customFilters: { interests: 'ceramics' } }],
  ])('%s', async (_, query) => {
    const { token } = await logIn('admin@example.com');
    const [all, found] = await Promise.all([board(token), board(token, query)]);

    expect(totalOf(found)).toBeGreaterThan(0);
    expect(totalOf(found)).toBeLessThan(totalOf(all));
  });

  test('team, owners and assignees of conversations', async () => {
    const { token } = await logIn('head@example.com');
    const { user } = await logIn('rep@example.com');
    for (const query of [{ ownerFilter: 'team' }, { owner: [user.id] }, { assignee: [user.id] }]) {
      expect(totalOf(await board(token, query))).toBeGreaterThan(0);
    }
  });
});

test('a contact tells of the last message of its conversations, and these of theirs', async () => {
  const rows = await rowsOf(endpoint, product.tableName);
  const dataUnder = (kind: string) =>
    rows
      .filter(({ pk, sk }) => pk.includes('#CONTACT#') && sk.startsWith(kind))
      .map(({ data }) => data as Data);
  type Data = Record<string, string & number & string[]>;
  const messages = Map.groupBy(dataUnder('MESSAGE#'), ({ conversationId }) => conversationId);
  const conversations = Map.groupBy(dataUnder('CONVERSATION#'), ({ contactId }) => contactId);

  expect(conversations.size).toBeGreaterThan(100);
  for (const conversation of [...conversations.values()].flat()) {
    const own = messages.get(conversation._id ?? ('' as never)) ?? [];
    expect(own).toHaveLength(conversation.messageCount ?? -1);
    expect(own.at(-1) ?? { content: null, createdAt: null }).toMatchObject({
      content: conversation.lastMessage,
      createdAt: conversation.lastMessageAt,
    });
  }
  for (const contact of dataUnder('CONTACT')) {
    const own = conversations.get(contact._id ?? ('' as never)) ?? [];
    const last = own.flatMap(({ _id }) => messages.get(_id ?? ('' as never)) ?? []);
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

test('notes mention colleagues who may see the contact', async () => {
  const rows = await rowsOf(endpoint, product.tableName);
  const users = new Set(
    rows.filter(({ sk }) => sk.startsWith('USER#')).map(({ sk }) => sk.slice('USER#'.length)),
  );
  const notes = rows
    .filter(({ sk }) => sk.startsWith('NOTE#'))
    .map(({ data }) => data as { mentions: string[] });

  const mentions = notes.flatMap((note) => note.mentions);
  expect(notes.length).toBeGreaterThan(50);
  expect(mentions.length).toBeGreaterThan(10);
  expect(mentions.every((id) => users.has(id))).toBe(true);
});

test.each([
  ['admin', [-1]],
  ['head', []],
  ['rep', []],
])(
  '%s has notifications of mentions: the newest three unread, and of the admin the first one too',
  async (who, first) => {
    const { token, user } = await logIn(`${who}@example.com`);
    const { body } = await product.call('list-notifications', { token, query: { limit: '100' } });
    const { body: unread } = await product.call('count-unread-notifications', { token });

    const expected = [0, 1, 2, ...first].map((index) => body.data.at(index)._id);
    expect(unread.data.count).toBe(expected.length);
    expect(body.data.length).toBeGreaterThan(4);
    expect(
      body.data.filter(({ isRead }: { isRead: boolean }) => !isRead).map(({ _id }: { _id: string }) => _id),
    ).toEqual(expected);
    for (const { contactId, noteId } of body.data) {
      const notes = await product.call('list-notes', { token, query: { contactId, limit: '100' } });
      const note = notes.body.data.find(({ _id }: { _id: string }) => _id === noteId);
      expect(note).toMatchObject({ note: expect.stringContaining('@') });
      expect(note.userId._id).not.toBe(user.id);
    }
  },
);

test('some notes have reactions, and some were edited', async () => {
  const rows = await rowsOf(endpoint, product.tableName);
  const notes = rows
    .filter(({ sk }) => sk.startsWith('NOTE#'))
    .map(({ data }) => data as { reactions: object[]; isEdited: boolean });

  expect(notes.filter(({ reactions }) => reactions.length > 0).length).toBeGreaterThan(20);
  expect(notes.filter(({ isEdited }) => isEdited).length).toBeGreaterThan(10);
});

test('the admin, the head and the rep each see workflows that are on and some that are off', async () => {
  const seen = await Promise.all(
    ['admin', 'head', 'rep'].map(async (who) => {
      const { token } = await logIn(`${who}@example.com`);
      const { status, body } = await product.call('list-workflows', { token });
      expect(status).toBe(200);
      return body.data as { name: string; enabled: boolean; nodes: object[]; edges: object[] }[];
    }),
  );

  expect(seen.map((workflows) => workflows.length)).toEqual([6, 3, 2]);
  for (const workflows of seen) {
    expect(new Set(workflows.map(({ enabled }) => enabled))).toEqual(new Set([true, false]));
    expect(workflows.every(({ nodes, edges }) => edges.length === nodes.length - 1)).toBe(true);
  }
});

test.each(['admin', 'head', 'rep'])('%s has kept conversations as examples', async (who) => {
  const { token, user } = await logIn(`${who}@example.com`);
  const { body } = await product.call('list-training-snapshots', { token });
  const makers = body.data.map(({ createdBy }: { createdBy: string }) => createdBy);
  expect(new Set(makers)).toEqual(new Set([user.id]));
});

test('leads of the last month are counted for the admin, the head and the rep, each for their own scope', async () => {
  const metrics = await Promise.all(
    ['admin', 'head', 'rep'].map(async (who) => {
      const { token } = await logIn(`${who}@example.com`);
      const { status, body } = await product.call('read-outreach-metrics', { token });
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

test('the admin has outreach configurations: signed and unsigned, active and not; leads can be sent at once', async () => {
  const { token } = await logIn('admin@example.com');
  const { body } = await product.call('list-outreach-configurations', { token });
  const configurations = body.data as { _id: string; hasSecret: boolean; isActive: boolean }[];
  const lead = { phoneNumber: '+15550101815', firstName: 'Ada', lastName: 'Lovelace' };
  const answers = await Promise.all(
    configurations.map(({ _id }) =>
      product.call('receive-lead', { body: { configurationId: _id, ...lead } }),
    ),
  );

  expect(answers.map(({ status }) => status)).toEqual(
    configurations.map(({ hasSecret, isActive }) => (hasSecret ? 401 : isActive ? 200 : 400)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 401]);
});
