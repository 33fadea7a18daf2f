import { expect, test } from 'vitest';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { demoTests } from './demo.ts';

const tests = await demoTests();

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

async function board(token: string, query: Record<string, unknown> = {}): Promise<Buckets> {
  const { status, body } = await tests.product.call('list-contacts-by-stage', { token, body: query });
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
])('%s logs in as %s after the seeding', async (email, accessRole) => {
  expect((await tests.logIn(email)).user).toMatchObject({ email, accessRole });
});

test('The SUPERADMIN of the demo data belongs to an organization of its own, the others to one', async () => {
  const emails = ['superadmin@example.com', 'admin@example.com', 'head@example.com', 'rep@example.com'];
  const organizations = await Promise.all(
    emails.map(async (email) => (await tests.logIn(email)).user.organizationId),
  );

  expect(new Set(organizations.slice(1)).size).toBe(1);
  expect(organizations[0]).not.toBe(organizations[1]);
});

test('The board of the demo admin has contacts in every stage, and its totals are what all pages hold', async () => {
  const { token } = await tests.logIn('admin@example.com');

  const { stages, contacts } = await everyPage(token);

  expect(stages.map(({ stage }) => stage)).toEqual(['New', 'Contacted', 'Qualified', 'Won', 'Lost']);
  for (const stage of stages) {
    expect(stage.contacts.length).toBe(stage.total);
    expect(stage.total).toBeGreaterThanOrEqual(20);
  }
  expect(new Set(contacts.map(({ _id }) => _id)).size).toBeGreaterThanOrEqual(300);
});

test('A dozen well-known people come first in every stage, with an email address and a number of nobody', async () => {
  const { token } = await tests.logIn('admin@example.com');

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

test('The rep sees only their own demo contacts, the head those of the team, the admin all', async () => {
  const [rep, head, admin] = await Promise.all(
    ['rep', 'head', 'admin'].map((who) => tests.logIn(`${who}@example.com`)),
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

const daysAgo = (days: number) => new Date(tests.now.getTime() - days * 86_400_000).toISOString();

test.each<[string, Record<string, unknown>]>([
  ['A search for a name', { search: 'zoë nguyễn' }],
  ['A search for a number', { search: '555' }],
  ['The filter by oneself as the owner', { ownerFilter: 'my' }],
  ['The filter by nobody as the owner', { ownerFilter: 'unassigned' }],
  ['The filter by creation', { createdDateRange: { start: daysAgo(30), end: daysAgo(7) } }],
  ['The filter by source', { source: 'Referral' }],
  ['The filter by bulk import', { bulkOnly: true }],
  ['The filter for answered contacts', { messageStatus: 'answered' }],
  ['The filter for unanswered contacts', { messageStatus: 'unanswered' }],
  ['The filter for a week of silence', { lastMessageTimeRange: { value: 7, unit: 'days' } }],
  ['The filter by the last message', { lastMessageDateRange: { start: daysAgo(2) } }],
  ['The filter by a pattern in a custom field', { customFilters: { city: '^M' } }],
  ['The filter by a number in a custom field', { customFilters: { budget: [1_000, 2_500, 5_000, 7_500] } }],
  ['The filter by a boolean in a custom field', { customFilters: { newsletter: true } }],
  ['The filter by a list in a custom field', { customFilters: { interests: 'ceramics' } }],
])('%s finds some of the demo contacts, but not all', async (_, query) => {
  const { token } = await tests.logIn('admin@example.com');
  const [all, found] = await Promise.all([board(token), board(token, query)]);

  expect(totalOf(found)).toBeGreaterThan(0);
  expect(totalOf(found)).toBeLessThan(totalOf(all));
});
