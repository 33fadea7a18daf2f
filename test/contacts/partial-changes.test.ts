import { expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { outcome } from '../harness/tenants.ts';
import { newContactsClient } from './client.ts';

const product = await setUpProduct();
const contacts = await newContactsClient(product);
const changed = async (id: string, body: Record<string, unknown>) =>
  (await contacts.update(id, body)).body.data;

test('Tags are added and taken away, and the others stay', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada', tags: ['vip', 'speaker'] });
  expect((await changed(_id, { addTags: ['new', 'vip'] })).tags).toEqual(['vip', 'speaker', 'new']);
  expect((await changed(_id, { removeTags: ['speaker', 'unknown'] })).tags).toEqual(['vip', 'new']);
  expect((await changed(_id, { removeTags: ['vip'], addTags: ['vip', 'last'] })).tags).toEqual([
    'new',
    'vip',
    'last',
  ]);
  expect((await changed(_id, { tags: ['a', 'b'], removeTags: ['a'], addTags: ['c'] })).tags).toEqual([
    'b',
    'c',
  ]);
});

test('Custom fields are set one by one, null removes one, and the others stay', async () => {
  const { _id } = await contacts.created({
    firstName: 'Ada',
    customFields: { city: 'London', size: 3, old: null },
  });
  const customFields = async (body: object) => (await changed(_id, { ...body })).customFields;
  const plan = { name: 'gold' };
  const set = await customFields({ setCustomFields: { size: 4, plan } });
  expect(set).toEqual({ city: 'London', size: 4, old: null, plan });
  const removed = await customFields({ setCustomFields: { city: null, gone: null } });
  expect(removed).toEqual({ size: 4, old: null, plan });
  const replaced = await customFields({ customFields: { a: 1, b: 2 }, setCustomFields: { b: 3 } });
  expect(replaced).toEqual({ a: 1, b: 3 });
});

test('Twenty people who each add a tag and set a field at once all find theirs in the end', async () => {
  const { _id } = await contacts.created({ firstName: 'Ada' });
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
  await Promise.all(
    names.map(async (name) => {
      const body = { addTags: [name], setCustomFields: { [name]: true } };
      await eventually(async () => (await contacts.update(_id, body)).status !== 503);
    }),
  );
  const { tags, customFields } = (await contacts.read(_id)).body.data;
  expect(tags.toSorted()).toEqual(names.toSorted());
  expect(Object.keys(customFields).sort()).toEqual(names.toSorted());
});

test('A contact gets no more tags and custom fields by single ones than it may have in all', async () => {
  const tags = Array.from({ length: 50 }, (_, index) => `tag ${index}`);
  const customFields = Object.fromEntries(tags.map((tag) => [tag, 1]));
  const { _id } = await contacts.created({ firstName: 'Ada', tags, customFields });
  for (const [body, message] of [
    [{ addTags: ['one more'] }, 'addTags must leave the contact with at most 50 tags'],
    [{ setCustomFields: { more: 1 } }, 'setCustomFields must have at most 50 keys'],
    [{ setCustomFields: { 'tag 1': 'x'.repeat(17_000) } }, 'setCustomFields must be at most 16 KB'],
  ] as const) {
    const response = outcome(await contacts.update(_id, body));
    expect(response).toMatchObject({ status: 400, body: { message } });
  }
  expect(
    (await changed(_id, { addTags: ['tag 3'], setCustomFields: { 'tag 1': null, more: 1 } })).tags,
  ).toEqual(tags);
  expect((await changed(_id, { addTags: ['one more'], removeTags: ['tag 3'] })).tags).toHaveLength(50);
});
