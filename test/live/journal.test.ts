import { readFile } from 'node:fs/promises';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { introductionWith } from '../../infra/openapi/introduction.ts';
import { settlingTime } from '../../shared/events/event-log.ts';
import { eventAction, eventKeyFor, type NewEvent } from '../../shared/events/outbox.ts';
import { hour, minute, after as plus, second, timestamp } from '../../shared/kernel/time.ts';
import { newApiKey } from '../api-keys/keys.ts';
import { expectStatus } from '../harness/tenants.ts';
import { delay, forPeople, idsIn, longestWork, type Page, setUpJournal } from './journal-reader.ts';
import { workflowToggled } from './live-product.ts';

const { live, product, now, read, pageOf, readOn, hoursAgo } = await setUpJournal();

test('A program that begins now gets a place, and after it everything that happens from then on', async () => {
  const admin = await product.newOrganization();
  await live.happen(admin.organizationId, workflowToggled, plus(now, -minute));
  const first = await pageOf(admin);
  expect(first).toMatchObject({ data: [], hasMore: false });

  const ids = [
    await live.happen(admin.organizationId, workflowToggled, plus(now, second)),
    await live.happen(admin.organizationId, workflowToggled, plus(now, 2 * second)),
  ];
  const later = plus(now, delay + 3 * second);
  const second_ = await pageOf(admin, { after: first.nextAfter }, later);
  expect(second_).toMatchObject({ hasMore: false });
  expect(idsIn(second_)).toEqual(ids);
  expect(await pageOf(admin, { after: second_.nextAfter }, later)).toEqual({ ...second_, data: [] });
});

test('An event shows once no event with a smaller id can come any more, and an event that took long is not missed', async () => {
  const admin = await product.newOrganization();
  const { table } = product.tableOf(admin.organizationId);
  const { nextAfter } = await pageOf(admin, {}, now);
  const began = plus(now, minute);
  const slow = ulid(began.getTime());
  const quick = await live.happen(admin.organizationId, workflowToggled, plus(began, second));
  expect(idsIn(await pageOf(admin, { after: nextAfter }, plus(began, longestWork)))).toEqual([]);
  // The slow one commits as late as it may.
  await table.commit([eventAction(table, workflowToggled, slow, began)]);
  const at = plus(began, delay + second);
  const early = await pageOf(admin, { after: nextAfter }, at);
  expect(idsIn(early)).toEqual([slow]);
  expect(idsIn(await pageOf(admin, { after: early.nextAfter }, plus(at, 1)))).toEqual([quick]);
});

test('A reader in steps of 7 gets exactly the log, in its order, while 16 writers write events that take up to 30 seconds', async () => {
  const admin = await product.newOrganization();
  const { table } = product.tableOf(admin.organizationId);
  let { nextAfter: place } = await pageOf(admin);
  const got: string[] = [];
  const readTo = async (at: Date) => {
    for (let hasMore = true; hasMore; ) {
      const page = await pageOf(admin, { after: place, limit: '7' }, at);
      expect(page.data.length).toBeLessThanOrEqual(7);
      got.push(...idsIn(page));
      ({ nextAfter: place, hasMore } = page);
    }
  };
  const log: string[] = [];
  const writeAt = async (at: Date, writer: number, step: number) => {
    // What commits now began between now and 30 seconds ago.
    const began = plus(at, -((writer * 7 + step * 11) % 31) * second);
    const id = ulid(began.getTime());
    await table.commit([eventAction(table, workflowToggled, id, began)]);
    log.push(id);
  };
  const writers = Array.from({ length: 16 }, (_, writer) => writer);
  let at = now;
  for (let step = 0; step < 30; step += 1) {
    at = plus(now, step * 3 * second);
    const time = at;
    await Promise.all([...writers.map((writer) => writeAt(time, writer, step)), readTo(time)]);
  }
  await readTo(plus(at, delay + 1));
  expect(got).toHaveLength(16 * 30);
  expect(got).toEqual(log.toSorted());
});

test('A socket and the journal of one user have the same events, in the same words', async () => {
  const admin = await product.newOrganization();
  const rep = await product.newColleague(admin);
  const moments = [40 * hour, 2 * hour, hour, 10 * minute, minute].map((ago) => plus(now, -ago));
  const first = await live.happen(admin.organizationId, workflowToggled, plus(now, -72 * hour + minute));
  for (const [index, at] of moments.entries()) {
    await live.happen(admin.organizationId, forPeople(index % 2 ? rep.userId : admin.userId), at);
  }
  for (const person of [admin, rep]) {
    const { id } = await live.connect(person.socketToken);
    await live.send(id, { action: 'resume', since: first });
    const { data } = await readOn(person, { after: first });
    expect(data).toEqual(live.sockets.received(id));
    expect(data).toHaveLength(person === admin ? 5 : 2);
  }
});

test('A rep gets what a rep may see at the time of reading, and is told what left their sight', async () => {
  const admin = await product.newOrganization();
  const rep = await product.newColleague(admin);
  const at = plus(now, -minute);
  const other = await live.happen(admin.organizationId, forPeople(admin.userId), at);
  const own = await live.happen(admin.organizationId, forPeople(rep.userId), plus(at, 1));
  const audience = { kind: 'record', people: [admin.userId], formerly: [rep.userId] } as const;
  const lost = await live.happen(admin.organizationId, { ...workflowToggled, audience }, plus(at, 2));
  expect(idsIn(await pageOf(admin, hoursAgo(1)))).toEqual([other, own, lost]);
  expect((await pageOf(rep, hoursAgo(1))).data).toMatchObject([
    { id: own, event: 'workflow_updated' },
    { id: lost, event: 'contact_removed' },
  ]);
});

test('A SUPERADMIN reads the events of the organization that the header names', async () => {
  const admin = await product.newOrganization();
  const superadmin = await product.newSuperadmin();
  const id = await live.happen(admin.organizationId, forPeople(admin.userId), plus(now, -minute));
  const headers = { 'x-organization-id': admin.organizationId };
  const { token } = superadmin;
  const response = await product.call('list-events', { token, headers, query: hoursAgo(1), at: now });
  expect(idsIn(expectStatus(response, 200) as Page)).toEqual([id]);
});

test('An API key reads the events of its groups, and those of its user alone', async () => {
  const admin = await product.newOrganization();
  const rep = await product.newColleague(admin);
  const ids = [
    await live.happen(admin.organizationId, forPeople(rep.userId), plus(now, -minute)),
    await live.happen(admin.organizationId, forPeople(admin.userId), plus(now, -minute + 1)),
  ];
  const keyFor = async (fields: Record<string, unknown>) => ({
    token: (await newApiKey(product, admin, fields)).key as string,
  });
  const later = plus(new Date(), 5 * second);
  const pageBy = async (fields: object) =>
    idsIn(await pageOf(await keyFor({ access: 'read', ...fields }), hoursAgo(1), later));
  expect(await pageBy({})).toEqual(ids);
  expect(await pageBy({ groups: ['Workflows'] })).toEqual(ids);
  expect(await pageBy({ groups: ['Calls'] })).toEqual([]);
  expect(await pageBy({ userId: rep.userId })).toEqual([ids[0]]);
});

test('events narrows the page to some names; an unknown one is a 400', async () => {
  const admin = await product.newOrganization();
  const moved: NewEvent = {
    event: 'sessions_ended',
    data: {},
    audience: { kind: 'organization' },
  } as NewEvent;
  const id = await live.happen(admin.organizationId, moved, plus(now, -minute));
  await live.happen(admin.organizationId, workflowToggled, plus(now, -minute));
  const page = await pageOf(admin, { ...hoursAgo(1), events: 'contact_created,sessions_ended' });
  expect(idsIn(page)).toEqual([id]);
  const refused = await read(admin, { events: 'contact_created,contact_eaten' });
  expect(refused.status).toBe(400);
  expect(refused.body.message).toMatch(/^events must have only these names/);
});

test.each([
  ['0', 'limit must be a whole number from 1 to 1000'],
  ['1001', 'limit must be a whole number from 1 to 1000'],
])('A limit of %s is a 400', async (limit, message) => {
  const admin = await product.newOrganization();
  expect(await read(admin, { limit })).toMatchObject({ status: 400, body: { message } });
});

test('after and since together are a 400', async () => {
  const admin = await product.newOrganization();
  expect(await read(admin, { after: ulid(), ...hoursAgo(1) })).toMatchObject({ status: 400 });
});

test.each([
  ['a word as after', { after: 'yesterday' }],
  ['an id in small letters as after', { after: ulid(now.getTime()).toLowerCase() }],
  ['an id that reaches for another key as after', { after: 'EVENT#01ARZ3NDEKTSV4RRFFQ69G5FAV' }],
  ['an event of four days ago as after', { after: ulid(plus(now, -96 * hour).getTime()) }],
  ['the highest id as after', { after: '7ZZZZZZZZZZZZZZZZZZZZZZZZZ' }],
  ['more than an id can be as after', { after: '8ZZZZZZZZZZZZZZZZZZZZZZZZZ' }],
  ['a word as since', { since: 'yesterday' }],
  ['four days ago as since', { since: timestamp(plus(now, -96 * hour)) }],
  ['more than anybody reads as after', { after: 'x'.repeat(3_000) }],
  ['the year 1 as since', { since: '0001-01-01T00:00:00Z' }],
])('With %s the response says where the kept events begin, and reading goes on there', async (_, query) => {
  const admin = await product.newOrganization();
  const oldest = await live.happen(admin.organizationId, workflowToggled, plus(now, -72 * hour + second));
  const { status, body } = await read(admin, query);
  expect({ status, body }).toMatchObject({ status: 410, body: { success: false, code: 'RESYNC_REQUIRED' } });
  expect(body.message).toMatch(/^(after|since) .* Reload everything/);
  expect(idsIn(await readOn(admin, { after: body.nextAfter }, plus(now, 5 * second)))).toEqual([oldest]);
});

test('The journal reaches as far as what is stored, and stored events outlive the time for which they can be read', async () => {
  const admin = await product.newOrganization();
  const at = plus(now, -72 * hour + minute);
  const id = await live.happen(admin.organizationId, workflowToggled, at);
  expect(idsIn(await readOn(admin, { after: ulid(plus(at, -second).getTime()) }))).toEqual([id]);
  const { table } = product.tableOf(admin.organizationId);
  const stored = await table.read(eventKeyFor(id));
  expect(stored?.data.at).toBe(timestamp(at));
});

test('The documentation says after how many seconds an event appears', async () => {
  expect(settlingTime).toBe(delay);
  const chapter = await readFile(new URL('../../functions/live/README.md', import.meta.url), 'utf8');
  for (const text of [chapter, introductionWith('')]) {
    expect(text).toContain(`${delay / second} seconds after`);
  }
});
