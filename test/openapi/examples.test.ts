import { expect, test } from 'vitest';
import { recordedResponses } from '../../infra/openapi/recorded-responses.ts';
import { loadOperations } from '../../infra/registry.ts';
import { operationsIn, publishedBy } from './published.ts';
import { recordable } from './recordable.ts';
import { differencesOfShape } from './shape.ts';
import { type Tried, triedExamples } from './tried-examples.ts';

const all = await loadOperations();
const published = publishedBy(all);
const tried = await triedExamples(all, published);
const answered = recordable(tried);

/** Nothing for an answer of success that the document describes. */
function problemsOf({ operationId, status, type, text }: Tried): string[] {
  if (status === 303) {
    return [];
  }
  if (status < 200 || status > 299) {
    return [`${operationId}: ${status} ${text.slice(0, 300)}`];
  }
  const body = type.startsWith('application/json') ? JSON.parse(text) : text;
  return published
    .responseProblems(operationId, status, body, type)
    .map((problem) => `${operationId}: ${problem}`);
}

/** In what an answer now is not what was recorded. */
function changes(operationId: string): string[] {
  const [recorded, now] = [recordedResponses[operationId], answered[operationId]];
  if (recorded === undefined || now === undefined) {
    return [
      `${operationId} ${recorded === undefined ? 'has no recorded response' : 'is recorded, but no more'}`,
    ];
  }
  const differences =
    recorded.status === now.status
      ? differencesOfShape(recorded.body, now.body)
      : [`the status is ${now.status}, and was ${recorded.status}`];
  return differences.map((difference) => `${operationId}: ${difference}`);
}

test('Every example of the document works as printed on a freshly seeded host, one after the other', () => {
  expect(operationsIn(published.document).length).toBeGreaterThanOrEqual(100);
  expect(tried.flatMap(problemsOf)).toEqual([]);
});

test('The document shows responses of the shape that the host sends', () => {
  const names = new Set([...Object.keys(recordedResponses), ...Object.keys(answered)]);
  const found = [...names].flatMap(changes);
  expect(
    found,
    'The example responses in the documentation are out of date. Run `npm run examples`, and commit infra/openapi/recorded-responses.json.',
  ).toEqual([]);
});

const text = JSON.stringify(recordedResponses);

test('The recorded responses hold nothing that a run of a host makes for itself: no key, no signature, no address', () => {
  expect(text.match(/eyJhbGciOi|127\.0\.0\.1:(?!3000)\d+/g)).toBeNull();
  // The documents are themselves answers, and hold the recorded ones.
  const documents = ['read-openapi', 'read-documentation-text'];
  const answers = tried.filter(({ operationId }) => !documents.includes(operationId));
  const secrets = answers.flatMap(
    (answer) =>
      answer.text.match(/"[\w-]+\.[\w-]+\.[\w-]{86}"|\.[\w-]{43}"|whsec_[^"]+|"[0-9a-f]{64}"/g) ?? [],
  );
  expect(secrets.length).toBeGreaterThanOrEqual(11);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
});

test('The recorded responses are of a day, and name records by ids that the demo data or the request has', () => {
  expect(recordedResponses['create-contact']?.body).toMatchObject({
    data: {
      _id: '01KF1A00000000000000000001',
      firstName: 'George',
      phoneNumbers: [{ value: '+13035550181' }],
      createdAt: '2026-11-20T09:30:00.000Z',
    },
  });
  expect(recordedResponses['end-call']?.body).toMatchObject({
    data: { status: 'completed', duration: 60, endTime: '2026-11-20T09:30:00.000Z' },
  });
});

test('The recorded responses are short', () => {
  expect(text.length).toBeLessThan(120_000);
});

const recorded = { total: 1, list: [{ name: 'Ada', stage: null }] };

test.each([
  ['the same', { total: 2, list: [{ name: 'Grace', stage: 'New' }] }, []],
  ['a longer list', { total: 2, list: [{ name: 'Ada', stage: null }, { name: 'Grace' }] }, []],
  ['a key less', { list: [] }, ['body.total is gone']],
  ['a key more', { total: 1, list: [], page: 1 }, ['body.page is new']],
  ['another type', { total: '1', list: [] }, ['body.total is string, and was number']],
  [
    'another key in a list',
    { total: 1, list: [{ name: 'Ada', stage: null, id: 1 }] },
    ['body.list[0].id is new'],
  ],
])('The shape of a response with %s', (_what, now, expected) => {
  expect(differencesOfShape(recorded, now)).toEqual(expected);
});
