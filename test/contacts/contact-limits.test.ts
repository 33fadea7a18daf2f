import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { contactsClient, newContactsClient } from './client.ts';

const product = await setUpProduct();
const contacts = await newContactsClient(product);

const emoji = (count: number) => '😀'.repeat(count);
const phones = (count: number) => Array.from({ length: count }, () => ({ value: newPhoneNumber() }));
const keysOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
/** Custom fields of exactly this many bytes of JSON. */
const bytes = (count: number) => ({ k: 'x'.repeat(count - Buffer.byteLength(JSON.stringify({ k: '' }))) });

test.each<[string, unknown, unknown, RegExp]>([
  [
    'tags',
    Array.from({ length: 50 }, (_, n) => `t${n}`),
    Array.from({ length: 51 }, (_, n) => `t${n}`),
    /^tags /,
  ],
  ['tags', [emoji(50)], [emoji(51)], /^tags\[0\] .*50 characters/],
  ['tags', ['a'], ['a', ''], /^tags\[1\] must not be empty/],
  ['phoneNumbers', phones(10), phones(11), /^phoneNumbers .*10 items/],
  ['customFields', keysOf(50), keysOf(51), /^customFields .*50 keys/],
  ['customFields', { [emoji(200)]: 1 }, { [emoji(201)]: 1 }, /^customFields .*200 characters/],
  ['customFields', bytes(16 * 1024), bytes(16 * 1024 + 1), /^customFields .*16 KB/],
  ['assignees', [], Array.from({ length: 11 }, (_, n) => `u${n}`), /^assignees .*10 items/],
])(
  'A field is taken at its limit, and refused by name one beyond: %s',
  async (field, most, tooMuch, message) => {
    const record = await contacts.created({ lastName: 'Limit', [field]: most });
    const { status, body } = await contacts.create({ lastName: 'Limit', [field]: tooMuch });
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'Invalid request' });
    expect(body.message).toMatch(message);
    const update = await contacts.update(record._id, { [field]: tooMuch });
    expect(update.status).toBe(400);
    expect(update.body.message).toMatch(message);
    expect((await contacts.read(record._id)).body.data).toEqual(record);
  },
);

test('All limits at once fit into one contact, its moves, its edits and its removal', async () => {
  const admin = await product.newOrganization();
  const colleagues = await Promise.all(Array.from({ length: 22 }, () => product.newColleague(admin)));
  const users = colleagues.map(({ userId }) => userId);
  const { userId: owner = '' } = colleagues[20] ?? {};
  const own = contactsClient(product, admin);
  const body = (from: number, ownedBy: string) => ({
    firstName: emoji(200),
    phoneNumbers: phones(10),
    assignees: users.slice(from, from + 10),
    owner: ownedBy,
    customFields: bytes(16 * 1024),
    tags: Array.from({ length: 50 }, (_, n) => `${emoji(47)}${n}`),
  });
  const { _id } = await own.created(body(0, owner));
  expect((await own.move(_id, { stage: 'Won' })).status).toBe(200);
  const edited = await own.update(_id, body(10, users[21] ?? ''));
  expect(edited.body.data).toMatchObject({ assignees: users.slice(10, 20), owner: users[21] });
  expect((await own.board()).Won).toEqual({ contacts: [edited.body.data], total: 1 });
  expect((await own.remove(_id)).status).toBe(200);
  expect(await own.everything()).toEqual([]);
});

test('A contact that has as many of everything as it may have can be reassigned and deleted', async () => {
  const admin = await product.newOrganization();
  const people = await Promise.all(Array.from({ length: 12 }, () => product.newColleague(admin)));
  const users = people.map(({ userId }) => userId);
  const call = (name: string, more: object) => product.call(name, { token: admin.token, ...more });
  const assignees = users.slice(0, 10);
  const own = contactsClient(product, admin);
  const { _id: contactId } = await own.created({ owner: users[10], assignees, phoneNumbers: phones(10) });
  const others = await Promise.all(Array.from({ length: 11 }, () => product.newColleague(admin)));
  const sent = await call('send-message', { body: { contactId, content: 'Hello' } });
  const called = await call('start-outbound-call', { body: { contactId } });
  const conversations: string[] = [sent.body.data.conversationId, called.body.call.conversationId];
  for (const [index, id] of conversations.entries()) {
    const five = others.slice(index * 5, index * 5 + 5).map(({ userId }) => userId);
    const given = await call('update-conversation', {
      path: { id },
      body: { assignees: five, userId: users[10] },
    });
    expect(given.status).toBe(200);
  }
  for (let n = 1; n <= 25; n += 1) {
    expect((await call('create-application', { body: { contactId, name: String(n) } })).status).toBe(201);
  }
  expect((await own.update(contactId, { lastName: 'Full' })).status).toBe(200);
  // Its conversations go with it.
  expect((await own.update(contactId, { owner: users[11] })).status).toBe(200);
  expect((await own.remove(contactId)).status).toBe(200);
  expect(await own.everything()).toEqual([]);
  expect((await call('list-conversations', {})).body.data).toEqual([]);
});

test('Custom fields keep odd keys and values as they were sent, in reads and on the board', async () => {
  const customFields = {
    constructor: { prototype: { a: 1 } },
    toString: 'text',
    hasOwnProperty: null,
    '': 'empty',
    'a.b#c$d': ['#', '$'],
    ' spaced ': 1e21,
    '😀': -0.1,
    deep: JSON.parse(`${'['.repeat(90)}${']'.repeat(90)}`),
    7: 'seven',
  };
  const record = await contacts.created({ firstName: 'Oddkeys', customFields });
  expect(record.customFields).toEqual(customFields);
  expect(Object.keys(record.customFields)).toEqual(Object.keys(customFields));
  expect((await contacts.read(record._id)).body.data).toEqual(record);
  expect((await contacts.board({ search: 'Oddkeys' })).New?.contacts).toEqual([record]);
});
