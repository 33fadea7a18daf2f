import { beforeEach, expect, test } from 'vitest';
import { type ContactsClient, contactsClient } from '../contacts/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { segmentsClient } from '../segments/client.ts';

const product = await setUpProduct();
let admin: Person;
let rep: Person;
let contacts: ContactsClient;
beforeEach(async () => {
  admin = await product.newOrganization();
  rep = await product.newColleague(admin);
  contacts = contactsClient(product, admin);
});

const create = (body: Record<string, unknown>) => contacts.created({ firstName: 'Ada', ...body });
const listed = async ({ token }: Person): Promise<Record<string, number>> => {
  const { data, ...rest } = expectStatus(await product.call('list-tags', { token }), 200);
  expect(rest).toEqual({ success: true, nextCursor: null });
  return Object.fromEntries(data.map(({ tag, count }: { tag: string; count: number }) => [tag, count]));
};

test('GET /api/tags lists the tags in alphabetical order, with how many contacts have each in any spelling', async () => {
  expect(await listed(admin)).toEqual({});
  await create({ tags: ['vip', 'a 10'] });
  await create({ tags: ['VIP', 'A 9'] });
  await create({ tags: ['vip'] });
  const partners = await pipelinesClient(product, admin).created({ name: 'Partners', stages: ['Invited'] });
  await create({ tags: ['vip'], pipelineId: partners._id });
  const tags = await listed(admin);
  expect(Object.entries(tags)).toEqual([
    ['A 9', 1],
    ['a 10', 1],
    ['vip', 4],
  ]);
});

test('The counts are exact after each change, for everybody in their own scope', async () => {
  const { _id } = await create({ tags: ['vip', 'old'], owner: rep.userId });
  await create({ tags: ['vip'] });
  expect(await listed(admin)).toEqual({ old: 1, vip: 2 });
  expect(await listed(rep)).toEqual({ old: 1, vip: 1 });
  expectStatus(await contacts.update(_id, { removeTags: ['old'], addTags: ['new'] }), 200);
  expect(await listed(admin)).toEqual({ new: 1, vip: 2 });
  expect(await listed(rep)).toEqual({ new: 1, vip: 1 });
  expectStatus(await contacts.update(_id, { owner: null }), 200);
  expect(await listed(rep)).toEqual({});
  expectStatus(await contacts.remove(_id), 200);
  expect(await listed(admin)).toEqual({ vip: 1 });
  const foreign = await product.newOrganization();
  expect(await listed(foreign)).toEqual({});
});

test('A board and a segment find contacts with one of the tags, or with all of them, in any case', async () => {
  await create({ firstName: 'Ada', tags: ['vip', 'new'] });
  await create({ firstName: 'Bob', tags: ['Vip'] });
  await create({ firstName: 'Eve', tags: ['other'] });
  const found = async (filter: Record<string, unknown>) => {
    const segment = await segmentsClient(product, admin).created(filter);
    const everything = await contacts.everything(filter);
    expect(await segmentsClient(product, admin).counted(segment._id)).toMatchObject({
      count: everything.length,
    });
    return everything.map(({ firstName }) => firstName).sort();
  };
  expect(await found({ tags: ['VIP', 'OTHER'] })).toEqual(['Ada', 'Bob', 'Eve']);
  expect(await found({ tagsAll: ['VIP', 'new'] })).toEqual(['Ada']);
  expect(await found({ tags: ['other', 'new'], tagsAll: ['vip'] })).toEqual(['Ada']);
  expect(await found({ tags: ['', null], tagsAll: [] })).toEqual(['Ada', 'Bob', 'Eve']);
  expect(await found({ tags: ['nobody'] })).toEqual([]);
});
