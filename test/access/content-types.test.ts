import { expect, test } from 'vitest';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { parsedBody } from './parsed-body.ts';

/** Decisions 1, "Content type": a body that parses as JSON is accepted regardless of its content type. */

const withBody = ofKind(await loadOperations(), 'http').filter(
  ({ operation }) => operation.body !== undefined,
);

test.each(withBody)(
  '$name takes a body that parses as JSON whatever its content type says',
  async ({ operation }) => {
    const body = operation.example?.body ?? {};
    const expected = await parsedBody(operation, body);
    expect(typeof expected).toBe('object');
    for (const type of [
      'application/json',
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'nonsense',
      '',
    ]) {
      expect(await parsedBody(operation, body, { 'content-type': type }), type).toEqual(expected);
    }
  },
);
