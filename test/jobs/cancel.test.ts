import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { counts, jobsClient } from './jobs-client.ts';

const { product, admin, rep, otherRep, newContact } = await setUpTenants();
const { change, end, results } = jobsClient(product);
const contacts = contactsClient(product, rep);
const cancel = ({ token }: { readonly token: string }, id: string) =>
  product.call('cancel-job', { token, path: { id } });

test('A job that is cancelled before its first record changes nothing, and lists every contact as not reached', async () => {
  const ids = await Promise.all([1, 2, 3].map(async () => (await newContact())._id));
  const queued = await change(rep, { ids, change: { addTags: ['never'] } });
  expect((await cancel(otherRep, queued._id)).status).toBe(404);
  expectStatus(await cancel(admin, queued._id), 202);
  const job = await end(rep, queued);
  expect(job).toMatchObject({ status: 'cancelled', counts: counts({ total: 3, skipped: 3 }) });
  expect(await results(rep, job)).toEqual(
    ids.map((contactId, index) => ({ row: index + 1, contactId, status: 'skipped', reason: 'cancelled' })),
  );
  for (const id of ids) {
    expect((await contacts.read(id)).body.data.tags).toEqual([]);
  }
  expect(await cancel(rep, job._id)).toMatchObject({
    status: 409,
    body: { message: 'The job is cancelled already.' },
  });
});

test('A job that is cancelled while it runs stops, and what it has done stays done', async () => {
  const ids = await Promise.all(Array.from({ length: 150 }, async () => (await newContact())._id));
  const queued = await change(rep, { ids, change: { addTags: ['half'] } });
  const ended = end(rep, queued);
  // Its first results show that it runs.
  await expect.poll(async () => (await results(rep, queued)).length, { timeout: 60_000 }).toBeGreaterThan(0);
  expectStatus(await cancel(rep, queued._id), 202);
  const job = await ended;
  const rows = await results(rep, job);
  const done = rows.filter(({ status }) => status === 'updated').map(({ contactId }) => contactId);
  expect(rows.map(({ row }) => row)).toEqual(ids.map((_, index) => index + 1));
  expect(job.counts).toEqual(counts({ total: 150, updated: done.length, skipped: 150 - done.length }));
  for (const id of ids) {
    expect((await contacts.read(id)).body.data.tags).toEqual(done.includes(id) ? ['half'] : []);
  }
});
