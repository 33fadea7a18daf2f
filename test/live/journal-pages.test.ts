import { expect, test } from 'vitest';
import type { Ports } from '../../shared/kernel/operation.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { after as plus, second } from '../../shared/kernel/time.ts';
import { readBudget } from '../../shared/ports/rate-limits.ts';
import { expectStatus } from '../harness/tenants.ts';
import { delay, forPeople, idsIn, type Page, setUpJournal } from './journal-reader.ts';
import { workflowToggled } from './live-product.ts';

const { live, product, now, read, readOn, hoursAgo } = await setUpJournal();
/** When the last events happened that a reader sees now. */
const settled = plus(now, -delay);

test('Three days in which nothing happened take few pages, each with a bounded number of reads', async () => {
  const admin = await product.newOrganization();
  let query: Record<string, string> = hoursAgo(72);
  let pages = 0;
  for (let hasMore = true; hasMore; pages += 1) {
    const response = await read(admin, query);
    expect(response.consumed?.requests).toBeLessThanOrEqual(26);
    const page = expectStatus(response, 200) as Page;
    ({ hasMore } = page);
    query = { after: page.nextAfter };
  }
  expect(pages).toBe(4);
  // From now on, the reader is where everybody is.
  expect((await read(admin, query, plus(now, second))).consumed?.requests).toBeLessThanOrEqual(3);
});

test('A page among events that its reader may not see is short, and says that there is more', async () => {
  const admin = await product.newOrganization();
  const rep = await product.newColleague(admin);
  const moments = Array.from({ length: 300 }, (_, index) => plus(settled, index - 1_000));
  await live.happenOften(admin.organizationId, forPeople(admin.userId), moments);
  const own = await live.happen(admin.organizationId, forPeople(rep.userId), plus(settled, -1));
  const first = await read(rep, { ...hoursAgo(0.5), limit: '5' });
  expect(first.body).toMatchObject({ data: [], hasMore: true });
  expect(first.consumed?.requests).toBeLessThanOrEqual(26);
  const rest = await readOn(rep, { after: first.body.nextAfter, limit: '5' });
  expect(idsIn(rest)).toEqual([own]);
});

test('A page of the largest events ends before its response could be too large', async () => {
  const admin = await product.newOrganization();
  const data = { ...workflowToggled.data, name: 'x'.repeat(30_000) };
  const moments = Array.from({ length: 200 }, (_, index) => plus(settled, index - 1_000));
  await live.happenOften(admin.organizationId, { ...workflowToggled, data }, moments);
  const page = await read(admin, { ...hoursAgo(1), limit: '1000' });
  expect(Buffer.byteLength(page.text)).toBeLessThan(5 * 1024 * 1024);
  expect(page.body.hasMore).toBe(true);
  const all = await readOn(admin, { ...hoursAgo(1), limit: '1000' });
  expect(new Set(idsIn(all)).size).toBe(200);
});

test('Reading is refused to a user who has read very much', async () => {
  const admin = await product.newOrganization();
  const { ports } = newInvocation({ ...systemRuntime, clock: () => now }, product.providers);
  const { rateLimits } = ports({ rateLimits: 'limit' }) as Ports<{ rateLimits: 'limit' }>;
  rateLimits.chargeUnits(2 * readBudget.atOnce);
  await rateLimits.limitReads(admin.userId, async () => undefined);
  expect(await read(admin)).toMatchObject({ status: 429, headers: { 'retry-after': '500' } });
});
