import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { namesIn, newContactsClient } from './client.ts';

const product = await setUpProduct();
const contacts = await newContactsClient(product);
await contacts.created({ firstName: 'Ada', source: 'Fair', stage: 'Won' });
await contacts.created({ firstName: 'Bob', assignees: [contacts.admin.userId] });

const fields = `
  page size search ownerFilter pipelineType pipelineId createdDateRange dateRange source owner
  assignee status customFilters stages stageIdByName bulkOnly messageStatus lastMessageTimeRange
  lastMessageDateRange
`
  .trim()
  .split(/\s+/);

/**
 * Decisions 6, "Empty filters": `''`, `[]` and `null` filter nothing, in every field of the board, also as their members (a range's end,
 * a custom filter's value); `owner` and `assignee` take 1,000 ids.
 */
test.each(fields)('%s filters nothing when it is empty', async (field) => {
  for (const empty of ['', [], null]) {
    expect(await contacts.board({ [field]: empty })).toEqual(await contacts.board());
  }
});

test.each<[string, unknown]>([
  ['page', { New: null, Won: '' }],
  ['createdDateRange', { start: '', end: null }],
  ['dateRange', { start: [], end: '' }],
  ['lastMessageDateRange', { start: '', end: '' }],
  ['lastMessageTimeRange', {}],
  ['lastMessageTimeRange', { value: '', unit: '' }],
  ['lastMessageTimeRange', { value: null, unit: 'days' }],
  ['lastMessageTimeRange', { value: 3, unit: [] }],
  ['owner', ['', null]],
  ['assignee', ['', []]],
  ['stages', ['', null]],
  ['stageIdByName', { New: '', Won: null }],
  ['customFilters', { city: '', size: null, tags: [] }],
])('%s of %j, empty inside, filters nothing', async (field, value) => {
  expect(await contacts.board({ [field]: value })).toEqual(await contacts.board());
});

test('What is not empty beside an empty member filters as ever', async () => {
  expect(await namesIn(contacts, { owner: ['', 'nobody'] })).toEqual([]);
  expect(await namesIn(contacts, { stages: ['', 'Won'] })).toEqual(['Ada']);
  expect(await namesIn(contacts, { createdDateRange: { start: '', end: '2020-01-01' } })).toEqual([]);
});

test('Half of a period is refused by its path', async () => {
  for (const period of [{ value: 3 }, { unit: 'days' }]) {
    const { status, body } = await contacts.list({ lastMessageTimeRange: period });
    expect(status).toBe(400);
    expect(body.message).toMatch(/^lastMessageTimeRange\.(value|unit) /);
  }
});

test('`owner` and `assignee` take 1,000 ids, and one more is refused', async () => {
  const ids = Array.from({ length: 999 }, (_, index) => `nobody-${index}`);
  const { userId } = contacts.admin;
  expect(await namesIn(contacts, { owner: [...ids, userId] })).toEqual(['Bob', 'Ada']);
  expect(await namesIn(contacts, { assignee: [...ids, userId] })).toEqual([]);
  for (const field of ['owner', 'assignee']) {
    const { status, body } = await contacts.list({ [field]: [...ids, userId, 'nobody'] });
    expect(status).toBe(400);
    expect(body.message).toBe(`${field} must have at most 1000 items`);
  }
});
