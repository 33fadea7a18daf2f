import { expect, test } from 'vitest';
import { isPublished } from '../../infra/openapi/document.ts';
import { errorResponses } from '../../infra/openapi/error-responses.ts';
import { failureCodes } from '../../infra/openapi/failure-codes.ts';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { catalogue, type FailureCode } from '../../shared/kernel/failure.ts';
import { takesKey } from '../../shared/kernel/uses.ts';
import { lint } from './lint.ts';
import { operationsIn, propertiesIn, publishedBy, schemasWith, valuesUnder } from './published.ts';

const all = await loadOperations();
const https = ofKind(all, 'http').filter(isPublished);
const published = publishedBy(all);
const described = operationsIn(published.document);

test("The published document passes the official linter's recommended rules without an error or a warning", () => {
  const { totals, problems } = lint(published.document);
  expect(problems.map(({ message }) => message)).toEqual([
    // No user is called `invitations`, and no invitation `factors`: no request for a record fits both.
    'Paths should resolve unambiguously. Found two ambiguous paths: `/api/users/invitations/{id}` and `/api/users/{id}/factors`.',
    // These paths are of the contract. Their methods differ, so that no request fits both.
    'Paths should resolve unambiguously. Found two ambiguous paths: `/api/users/invitations/{id}` and `/api/users/{id}/sessions`.',
    'Paths should resolve unambiguously. Found two ambiguous paths: `/api/users/invitations/{id}` and `/api/users/{id}/sign-out`.',
  ]);
  expect(totals).toMatchObject({ errors: 0, warnings: 3 });
});

test('The published document describes every operation under its own name, at its own route, and nothing else', () => {
  const routes = described.map(({ path, method, operation }) => [
    operation.operationId,
    `${method.toUpperCase()} ${path}`,
  ]);
  expect(Object.fromEntries(routes)).toEqual(
    Object.fromEntries(https.map(({ name, operation }) => [name, operation.route])),
  );
  expect(routes).toHaveLength(https.length);
});

test('The published document says of every operation what it does, and which group it belongs to', () => {
  const tags = published.document.tags.map(({ name }) => name);
  for (const { operation } of described) {
    expect(operation.summary, operation.operationId).toMatch(/^[A-Z]/);
    expect(tags, operation.operationId).toEqual(expect.arrayContaining(operation.tags));
  }
});

test('The published document describes every operation in at most 120 words; a chapter of its capability has the rest', () => {
  const long = https.flatMap(({ name, operation: { description = '' } }) => {
    const words = description.split(/\s+/).length;
    return words > 120 ? [`${name}: ${words} words`] : [];
  });
  expect(long).toEqual([]);
  const messages = published.document.tags.find(({ name }) => name === 'Messages');
  expect(messages?.description).toMatch(/^Text messages to contacts\.\n\n## Sending\n/);
});

test('The published document has no links but those to its own groups', () => {
  const targets = [...JSON.stringify(published.document).matchAll(/\]\(([^)]*)\)/g)].map(([, to]) => to);
  expect(targets.length).toBeGreaterThan(30);
  const groups = published.document.tags.map(({ name }) => `#/${encodeURIComponent(name)}`);
  expect(groups).toEqual(expect.arrayContaining([...new Set(targets)]));
});

test('The published document says of every property of every named schema what it means', () => {
  const silent = Object.entries(published.document.components.schemas).flatMap(([name, schema]) =>
    propertiesIn(schema, name).flatMap(({ at, property }) => (property.description ? [] : [at])),
  );
  expect(silent).toEqual([]);
});

/** Times that may be sent as a date, too; the next test but one says how they are described. */
const timesOrDates = [
  'CreateApiKeyRequest.expiresAt',
  'CreateReminderRequest.remindAt',
  'PreviewMissedCallRequest.at',
];

test('The published document gives every time and every day its format', () => {
  const times = Object.entries(published.document.components.schemas).flatMap(([name, schema]) =>
    propertiesIn(schema, name).filter(({ at }) => /(\.at|At|Time|\.date)$/.test(at)),
  );
  expect(times.length).toBeGreaterThanOrEqual(50);
  for (const { at, property } of times) {
    if (!timesOrDates.includes(at)) {
      const isDay = at.endsWith('.date') || at === 'ApiKey.lastUsedAt';
      expect(property.format, at).toBe(isDay ? 'date' : 'date-time');
    }
  }
});

test('The published document says of every time that may be sent as a date, too, that it takes both', () => {
  const date = { type: 'string', format: 'date' };
  const forms = [date, { type: 'string', format: 'date-time' }];
  const { schemas } = published.document.components;
  for (const location of timesOrDates) {
    const [name = '', property = ''] = location.split('.');
    expect(schemas[name]?.properties?.[property], location).toMatchObject({ anyOf: forms });
    expect(schemas[name]?.properties?.[property], location).not.toHaveProperty('type');
  }
  expect(JSON.stringify(schemas.ListContactsByStageRequest)).toContain(
    JSON.stringify([...forms, { type: 'null' }]),
  );
  const metrics = described.find(({ operation }) => operation.operationId === 'read-outreach-metrics');
  for (const name of ['startDate', 'endDate']) {
    expect(metrics?.operation.parameters).toContainEqual(
      expect.objectContaining({ name, schema: { anyOf: forms } }),
    );
  }
});

test('The published document calls what belongs to a user or an organization theirs, and what an update leaves alone a field', () => {
  const text = JSON.stringify(published.document);
  expect(text.match(/.{20}(\bthe own\b|a key that is absent stays)/g)).toBeNull();
  expect(text).toContain('Fields you leave out keep their value');
});

test('The published document says in its introduction which examples, queries and refusals are exceptions', () => {
  const { description } = published.document.info;
  expect(description).toMatch(/Three need [^.]*\/refresh`[^.]*\/password\/reset`[^.]*\/invitations\/accept`/);
  expect(description).toContain('After `PUT /api/auth/password`, log in with the new password');
  expect(description).toContain('Only webhooks, pages and documents for browsers, logout');
  expect(description).toContain('A 401 of this operation without `reason`');
  expect(description).toContain('keep third-party scripts off it with a content security policy.');
});

test('The published document describes times by their format alone, not by regular expressions or a choice of forms', () => {
  for (const one of schemasWith('format', published.document)) {
    expect(Object.keys(one)).not.toContain('pattern');
    expect(Object.keys(one)).not.toContain('anyOf');
  }
  for (const pattern of valuesUnder('pattern', published.document)) {
    expect(String(pattern).length, String(pattern)).toBeLessThan(60);
  }
});

test('The published document names what every operation takes and returns', () => {
  for (const { operation } of described) {
    const { requestBody, responses } = operation;
    for (const { schema } of Object.values(requestBody?.content ?? {})) {
      expect(schema, operation.operationId).toEqual({ $ref: expect.stringMatching(/\/[A-Z]\w+Request$/) });
    }
    const answered = (responses[200] ?? responses[201])?.content?.['application/json'];
    if (answered !== undefined) {
      expect(answered.schema, operation.operationId).toEqual({ $ref: expect.stringMatching(/\/[A-Z]\w+$/) });
    }
  }
  const [create] = described.filter(({ operation }) => operation.operationId === 'create-contact');
  expect(create?.operation.requestBody?.content['application/json']?.schema).toEqual({
    $ref: '#/components/schemas/CreateContactRequest',
  });
});

test('The published document states the defaults of a body in words, since generators take a property with a default for required', () => {
  const { components } = published.document;
  expect(components.schemas.ListContactsByStageRequest?.properties?.size).toMatchObject({
    description: 'Contacts per stage, 1 to 100. Default: `25`.',
  });
  const bodies = Object.entries(components.schemas).filter(([name]) => name.endsWith('Request'));
  expect(bodies.length).toBeGreaterThan(40);
  expect(valuesUnder('default', bodies)).toEqual([]);
});

test('The published document lists only those error codes that the operation returns with that status', () => {
  const codesOf = (operationId: string, status: number) => {
    const found = described.find((one) => one.operation.operationId === operationId);
    const content = found?.operation.responses[status]?.content;
    const fields = ['code', 'error'].flatMap((field) => valuesUnder(field, content));
    return fields.flatMap((schema) => valuesUnder('enum', schema)).flat();
  };
  expect(codesOf('login', 401)).toEqual(['INVALID_CREDENTIALS']);
  expect(codesOf('refresh', 401)).toEqual(['TOKEN_EXPIRED']);
  expect(codesOf('delete-note', 404)).toEqual(['NOT_FOUND']);
  for (const { name, operation } of https) {
    const statuses = Object.keys(errorResponses(operation)).map(Number);
    const listed = statuses.flatMap((status) =>
      codesOf(name, status).map((code) => [status, code as FailureCode] as const),
    );
    for (const [status, code] of listed) {
      expect(catalogue[code].status, `${name} ${code}`).toBe(status);
      expect([...failureCodes(operation)], name).toContain(code);
    }
  }
});

test('The published document asks no importer to send the header of a SUPERADMIN with every request', () => {
  const parameters = described.flatMap(({ operation }) => operation.parameters ?? []);
  const headers = parameters.filter(({ in: location }) => location === 'header');
  expect(new Set(headers.map(({ name }) => name))).toEqual(new Set(['Idempotency-Key']));
  expect(published.document.info.description).toContain('`x-organization-id`');
});

test('Every operation by which a caller changes something takes an Idempotency-Key, and so does a refresh', () => {
  const taking = described.filter(({ operation: { parameters = [] } }) =>
    parameters.some(({ in: location }) => location === 'header'),
  );
  const changing = https.filter(({ operation }) => takesKey(operation)).map(({ name }) => name);
  expect(taking.map(({ operation }) => operation.operationId).sort()).toEqual(
    [...changing, 'refresh'].sort(),
  );
});

test('The published document has schemas that a validator can use for every response', () => {
  for (const { operation } of described) {
    const statuses = Object.keys(operation.responses).filter((status) => !status.startsWith('3'));
    for (const status of statuses) {
      const problems = published.responseProblems(operation.operationId, Number(status), null);
      expect(problems, `${operation.operationId} ${status}`).not.toEqual([]);
    }
  }
});

test('The published document refers only to what it contains', () => {
  const references = valuesUnder('$ref', published.document);
  expect(references.length).toBeGreaterThan(0);
  for (const reference of references) {
    const [root, ...steps] = String(reference).split('/');
    expect(root).toBe('#');
    const target = steps.reduce<unknown>(
      (at, step) => (at as Record<string, unknown> | undefined)?.[step],
      published.document,
    );
    expect(target, String(reference)).toBeTypeOf('object');
  }
});

test('The published document uses only patterns that ECMAScript understands', () => {
  for (const pattern of valuesUnder('pattern', published.document)) {
    expect(() => new RegExp(String(pattern), 'u')).not.toThrow();
  }
});

test('The published document asks for a bearer token exactly where an operation needs one', () => {
  for (const { name } of https.filter(({ operation }) => operation.minimumRole !== 'anyone')) {
    const { security, responses } =
      described.find((one) => one.operation.operationId === name)?.operation ?? {};
    expect(security, name).toEqual([{ bearer: [] }]);
    expect(responses, name).toMatchObject({ 401: expect.anything(), 403: expect.anything() });
  }
  const health = described.find(({ path }) => path === '/api/health')?.operation;
  expect(health?.security).toEqual([]);
  expect(Object.keys(health?.responses ?? {})).toEqual(['200', '400', '429', '500']);
});
