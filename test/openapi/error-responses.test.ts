import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { errorResponses } from '../../infra/openapi/error-responses.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { type Operation, operation } from '../../shared/kernel/operation.ts';

const statuses = (one: Operation) => Object.keys(errorResponses(one));
const bodies = (one: Operation, status: number) =>
  Object.values(errorResponses(one)[status]?.content?.['application/json']?.examples ?? {}).map(
    ({ value }) => value,
  );

const open = operation({
  route: 'GET /api/open',
  summary: 'Open to all',
  family: 'plain',
  minimumRole: 'anyone',
  output: z.object({}),
  uses: {},
  run: async () => ({}),
});

const guarded = operation({
  route: 'PUT /api/things/{id}',
  summary: 'Change a thing',
  family: 'organizations',
  minimumRole: 'ADMIN',
  body: z.object({ name: z.string() }),
  descriptions: { name: 'The name of the thing.' },
  output: z.object({}),
  failures: ['CONFLICT'],
  uses: { table: 'write' },
  run: async () => ({}),
});

const verifying = operation({
  route: 'GET /api/verify',
  summary: 'Verify a token',
  family: 'auth',
  minimumRole: 'anyone',
  output: z.object({}),
  refusal: () => ({ error: 'No' }),
  uses: { tokens: 'verify' },
  run: async () => ({}),
});

test('The error responses of an operation are only those that it can have', () => {
  expect(statuses(open)).toEqual(['400', '429', '500']);
  expect(statuses(guarded)).toEqual(['400', '401', '403', '404', '409', '413', '422', '429', '500', '503']);
  expect(statuses(verifying)).toEqual(['400', '401', '429', '500']);
});

test('The error responses of an operation have the body of its family', () => {
  expect(bodies(guarded, 409)).toEqual([{ error: 'Conflict', details: expect.any(String) }]);
  expect(bodies(open, 500)).toEqual([
    { success: false, message: 'Internal server error' },
    { message: 'Internal Server Error' },
  ]);
});

test('The error responses of an operation describe the further keys that one of its failures carries, and show it', () => {
  const detailed: Operation = {
    ...guarded,
    detailedFailures: [
      {
        example: new Failure('CONFLICT', 'Somebody else has it.', { details: { ownerId: '01JD' } }),
        details: { ownerId: { description: 'Who has it.' } },
      },
    ],
  };
  const content = errorResponses(detailed)[409]?.content?.['application/json'];

  expect(content?.schema).toEqual({
    allOf: [
      { $ref: '#/components/schemas/OrganizationsError' },
      { type: 'object', properties: { ownerId: { type: 'string', description: 'Who has it.' } } },
    ],
  });
  expect(bodies(detailed, 409)).toEqual([
    { error: 'Conflict', details: expect.any(String) },
    { error: 'Conflict', details: 'Somebody else has it.', ownerId: '01JD' },
  ]);
  expect(errorResponses(detailed)[404]).toEqual(errorResponses(guarded)[404]);
});

test('The error responses of an operation name both refusals of a token and the words of the gateway', () => {
  expect(bodies(guarded, 401)).toEqual([
    { error: 'Invalid or expired token', message: expect.any(String) },
    { error: 'Token expired', message: expect.any(String) },
    { message: 'Unauthorized' },
  ]);
});

test('The error responses of an operation show the one body that the contract fixes where the operation verifies the token itself', () => {
  expect(bodies(verifying, 401)).toEqual([{ error: 'No' }, { error: 'No' }]);
});
