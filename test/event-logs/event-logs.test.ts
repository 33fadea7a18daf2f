import { expect, test } from 'vitest';
import { logEntryEnd, logEntryKey } from '../../shared/events/log-entry.ts';
import { day, minute } from '../../shared/kernel/time.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { type Entry, logClient } from './log-client.ts';

const tenants = await setUpTenants();
const { product, admin, head, rep, superadmin, foreignAdmin } = tenants;
const { stream, page, entries, repeat } = await logClient(product);

const call = async (name: string, by: Person, more: object = {}) =>
  (await arrange(product.call(name, { token: by.token, ...more }))).data;
const create = (by: Person, body: object = {}) =>
  call('create-contact', by, { body: { firstName: 'Ada', ...body } });

const namesOf = (found: readonly Entry[]) => found.map(({ event }) => event);

test('The log has each event once, however often the stream brings it, with who did it and in which request', async () => {
  const owner = await product.newOrganization();
  let requestId: string | undefined;
  const records = await stream.recordsOf(async () => {
    const contact = await create(owner, { lastName: 'Lovelace' });
    const response = await product.call('update-contact', {
      ...{ token: owner.token, path: { id: contact._id }, body: { lastName: 'King', tags: ['math'] } },
    });
    requestId = response.headers['x-request-id'];
    await call('move-contact', owner, { path: { id: contact._id }, body: { stage: 'Won' } });
    await call('create-note', owner, { body: { contactId: contact._id, note: 'Hello' } });
    await call('delete-contact', owner, { path: { id: contact._id } });
  });
  await repeat(records);
  await repeat([...records, ...records.toReversed()]);
  const events = await readEvents(product, owner.organizationId);
  const logged = (await entries(owner)).filter(({ event }) => event !== 'user_signed_in').reverse();
  expect(logged.map(({ _id, at, actor }) => ({ _id, at, actor }))).toEqual(
    events.map(({ id, at, actor }) => ({ _id: id, at, actor })),
  );
  expect(namesOf(logged)).toEqual([
    'contact_created',
    'contact_updated',
    'contact_stage_changed',
    'note_created',
    'contact_deleted',
  ]);
  const contactId = events[0]?.data.contactId;
  expect(logged[1]).toEqual({
    _id: events[1]?.id,
    event: 'contact_updated',
    at: events[1]?.at,
    actor: { type: 'user', id: owner.userId },
    entity: { type: 'contact', id: contactId },
    changed: ['lastName', 'tags'],
    requestId,
  });
});

test('Only administrators read the log, and each only that of their organization', async () => {
  const contact = await create(rep);
  for (const other of [rep, head]) {
    const response = await product.call('list-event-logs', { token: other.token });
    expect(response.status).toBe(403);
  }
  expect(await entries(admin, { entityId: contact._id })).toMatchObject([{ event: 'contact_created' }]);
  expect(await entries(foreignAdmin, { entityId: contact._id })).toEqual([]);
});

test('A SUPERADMIN from elsewhere is in the log with the organization that this is', async () => {
  const headers = { 'x-organization-id': admin.organizationId };
  const contact = await call('create-contact', superadmin, { headers, body: { firstName: 'Grace' } });
  const actor = { type: 'user', id: superadmin.userId, organizationId: superadmin.organizationId };
  expect(await entries(admin, { entityId: contact._id })).toMatchObject([{ actor }]);
  expect(await entries(admin, { actorId: superadmin.userId })).toHaveLength(1);
});

test('A query finds entries by event, record, actor and time', async () => {
  const owner = await product.newOrganization();
  const colleague = await product.newColleague(owner);
  await create(owner);
  const own = await create(colleague);
  const all = await entries(owner);
  expect(namesOf(await entries(owner, { event: 'contact_created, contact_updated' }))).toEqual([
    'contact_created',
    'contact_created',
  ]);
  expect(await entries(owner, { entity: 'contact', entityId: own._id })).toEqual(
    all.filter(({ entity }) => entity.id === own._id),
  );
  expect(await entries(owner, { actorId: colleague.userId, entity: 'contact' })).toEqual(
    all.filter(({ actor, entity }) => actor.id === colleague.userId && entity.type === 'contact'),
  );
  const [last] = all;
  const at = last?.at ?? '';
  expect((await entries(owner, { from: at })).every((entry) => entry.at >= at)).toBe(true);
  expect(await entries(owner, { from: at })).toContainEqual(last);
  expect(await entries(owner, { to: new Date(Date.parse(at) - 1).toISOString() })).not.toContainEqual(last);
  expect(await entries(owner, { to: '2001-01-01' })).toEqual([]);
});

test.each([
  ['an event', { event: 'contact_created,contact_vanished' }, 'contact_deleted'],
  ['a type of record', { entity: 'unicorn' }, 'webhook_endpoint'],
  ['a time', { from: 'yesterday' }, 'ISO 8601'],
  ['a cursor', { cursor: 'c29tZXdoZXJl' }, 'cursor'],
])(
  'A query with %s that there is not is refused, and the message says what there is',
  async (_, query, said) => {
    const response = await product.call('list-event-logs', { token: admin.token, query });
    expect(outcome(response)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(said) },
    });
  },
);

test('A query for what hardly ever happens reads a bounded part of the log for each page, and finds it in the end', async () => {
  const owner = await product.newOrganization();
  await call('create-api-key', owner, { body: { name: 'Old', access: 'read' } });
  await stream.settle();
  const [sample] = await entries(owner, { event: 'api_key_created' });
  const { table, moment } = product.tableOf(owner.organizationId);
  for (let batch = 0; batch < 25; batch += 1) {
    await table.putMany(
      Array.from({ length: 100 }, () => {
        const _id = moment.newId();
        const { at = '' } = sample ?? {};
        const entry = { ...sample, _id, event: 'message_created' };
        return { key: logEntryKey(_id), data: entry, expiresAt: logEntryEnd(at) };
      }),
    );
  }
  const first = await page(owner, { event: 'api_key_created' });
  expect(first).toMatchObject({ data: [], nextCursor: expect.any(String) });
  expect(await entries(owner, { event: 'api_key_created' })).toEqual([sample]);
});

test('The log holds 90 days', async () => {
  const owner = await product.newOrganization();
  const contact = await create(owner);
  await stream.settle();
  const later = new Date(Date.now() + 91 * day + minute);
  const found = await product.call('list-event-logs', {
    ...{ token: owner.token, at: new Date(Date.now() + minute), query: { entityId: contact._id } },
  });
  expect(expectStatus(found, 200).data).toHaveLength(1);
  await stream.expire(later);
  expect(await entries(owner)).toEqual([]);
});

test('Of an erased contact, the log keeps what happened, when, who did it and the id', async () => {
  const owner = await product.newOrganization();
  const canary = 'Canarina';
  const number = newPhoneNumber();
  const contact = await create(owner, {
    ...{ firstName: canary, lastName: canary, email: `${canary}@example.com` },
    ...{ phoneNumbers: [{ value: number }], tags: [canary], customFields: { [canary]: canary } },
  });
  const path = { id: contact._id };
  await call('update-contact', owner, { path, body: { customFields: { [`${canary}2`]: canary }, tags: [] } });
  await call('create-note', owner, { body: { contactId: contact._id, note: canary } });
  await call('delete-contact', owner, { path });
  const before = await entries(owner, { entityId: contact._id });
  await stream.expire(new Date(Date.now() + 4 * day));
  const logged = (await stream.texts()).filter((text) => text.includes('LOGGED'));
  expect(logged.length).toBeGreaterThan(before.length);
  expect(logged.filter((text) => text.includes(canary) || text.includes(number))).toEqual([]);
  expect(await entries(owner, { entityId: contact._id })).toEqual(before);
  expect(namesOf(before)).toEqual(['contact_deleted', 'contact_updated', 'contact_created']);
});
