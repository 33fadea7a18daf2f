import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { caseSender, operationsWithCases } from './operations.ts';

const tenants = await setUpTenants();

/** The lists that come page by page. */
const lists = (await operationsWithCases()).filter(
  ({ operation }) => 'cursor' in (operation.query?.shape ?? {}),
);

test.each(lists)('$name refuses a limit or a cursor that it cannot have: 400', async (one) => {
  const request = await one.accessCase.request(tenants, tenants.rep);
  for (const [query, problem] of [
    [{ limit: '0' }, 'limit must be a whole number from 1 to 100'],
    [{ limit: '101' }, 'limit must be a whole number from 1 to 100'],
    [{ limit: 'all' }, 'limit must be a whole number from 1 to 100'],
    [{ cursor: 'made up' }, 'cursor must be a nextCursor of this list'],
    [{ cursor: '' }, 'cursor must be a nextCursor of this list'],
  ] as const) {
    const { status, text } = await tenants.product.call(one.name, {
      ...{ ...caseSender(tenants, one.accessCase), ...request },
      query: { ...request.query, ...query },
    });
    expect([status, text.includes(problem)], text).toEqual([400, true]);
  }
});
