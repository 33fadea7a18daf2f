import { expect, test } from 'vitest';
import { isPublished } from '../../infra/openapi/document.ts';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { operationsIn, publishedBy } from './published.ts';

const all = await loadOperations();
const https = ofKind(all, 'http').filter(isPublished);
const published = publishedBy(all);
const described = operationsIn(published.document);

test('The published document shows an example of every request body, which both the document and the service accept', () => {
  const withBody = https.filter(({ operation }) => operation.body !== undefined);
  expect(withBody.length).toBeGreaterThan(0);
  for (const { name, operation } of withBody) {
    const { body } = operation.example ?? {};
    expect(body, name).toBeTypeOf('object');
    expect(published.requestProblems(name, body), name).toEqual([]);
    expect(operation.body?.safeParse(body).error, name).toBeUndefined();
  }
});

test('The published document shows an example of every path parameter and of every required query parameter', () => {
  const needed = described.flatMap(({ operation: { operationId, parameters = [] } }) =>
    parameters.flatMap((parameter) =>
      'name' in parameter && parameter.required ? [{ ...parameter, operationId }] : [],
    ),
  );
  expect(needed.length).toBeGreaterThan(40);
  for (const { operationId, name, example } of needed) {
    expect(example, `${operationId} ${name}`).toBeTypeOf('string');
  }
});

test('The published document shows error bodies that have the shapes it promises', () => {
  for (const { operation } of described) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      for (const { value } of Object.values(content?.['application/json']?.examples ?? {})) {
        expect(published.responseProblems(operation.operationId, Number(status), value)).toEqual([]);
      }
    }
  }
});

test('The published document shows an example of every successful response that is JSON, as its schema describes it', () => {
  for (const { operation } of described) {
    for (const status of ['200', '201'].filter((code) => operation.responses[code] !== undefined)) {
      const content = operation.responses[status]?.content?.['application/json'];
      if (content !== undefined) {
        const problems = published.responseProblems(operation.operationId, Number(status), content.example);
        expect(problems, `${operation.operationId}; does \`npm run examples\` fix it?`).toEqual([]);
      }
    }
  }
});

test('The responses in the examples of the published document fit the requests of these examples', () => {
  const compared = https.flatMap(({ name, operation: { example } }) => {
    const { responses = {} } = described.find((one) => one.operation.operationId === name)?.operation ?? {};
    const answer = (responses[200] ?? responses[201])?.content?.['application/json']?.example;
    const { data } = (answer ?? {}) as { data?: Record<string, unknown> };
    return Object.entries((example?.body ?? {}) as Record<string, unknown>)
      .filter(([field, value]) => typeof value !== 'object' && data?.[field] !== undefined)
      .map(([field, sent]) => ({ at: `${name}.${field}`, sent, answered: data?.[field] }));
  });
  expect(compared.length).toBeGreaterThan(30);
  // The service states times and phone numbers in one form, however they are written.
  const same = (value: unknown) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : value;
  for (const { at, sent, answered } of compared.filter(({ at }) => !/phoneNumber$|secret$/i.test(at))) {
    expect(same(answered), at).toEqual(same(sent));
  }
});
