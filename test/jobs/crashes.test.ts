import { afterEach, expect, test } from 'vitest';
import { eventKey, type StoredEvent } from '../../shared/events/outbox.ts';
import { after, hoursBetween, minute } from '../../shared/kernel/time.ts';
import { endAfterWrites } from '../access/ended-process.ts';
import { contactsClient } from '../contacts/client.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { randomness } from '../harness/randomness.ts';
import { expectStatus } from '../harness/tenants.ts';
import { counts, type JobRecord, jobsClient } from './jobs-client.ts';

const { product, rep, newContact } = await setUpTenants();
const { change, clock, read, results } = jobsClient(product);
const contacts = contactsClient(product, rep);
const faults = setUpFaultyTable();
afterEach(() => faults.clear());

/** Ends the process that runs the job again and again, after a few writes each time, and then lets the job come to its end. */
async function endWithCrashes(job: JobRecord, crashes: number, writes: () => number): Promise<JobRecord> {
  const begin = new Date();
  for (let run = 0; ; run += 1) {
    // Later than whatever the ended process has leased.
    const at = after(begin, 2 * run * minute);
    if (run < crashes) {
      endAfterWrites(faults, writes());
    }
    await clock.run(at).catch(() => undefined);
    faults.clear();
    const now = await read(rep, job._id);
    if (now.endedAt !== null) {
      return now;
    }
  }
}

/** How often each contact had an event of the job with this name. */
async function eventsByContact(jobId: string, name: string): Promise<Record<string, number>> {
  const { table } = product.tableOf(rep.organizationId);
  const begin = new Date();
  const found = await Promise.all(
    hoursBetween(after(begin, -60 * minute), after(begin, 120 * minute)).map((hour) =>
      table.list<StoredEvent>({ partition: eventKey(hour, '-').partition }),
    ),
  );
  const events = found.flat().filter(({ data }) => data.jobId === jobId && data.event === name);
  return Object.fromEntries(
    [...Map.groupBy(events, ({ data }) => String(data.data.contactId))].map(([id, of]) => [id, of.length]),
  );
}

test('A job whose process is ended at random points changes each contact once, and its counts add up', async () => {
  const { below } = randomness(4);
  const ids = await Promise.all(Array.from({ length: 40 }, async () => (await newContact())._id));
  const [same = '', ...others] = ids;
  await contacts.update(same, { tags: ['survivor'] });
  await contacts.move(same, { stage: 'Contacted' });
  const queued = await change(rep, {
    ids: [...ids, 'nobody'],
    change: { addTags: ['survivor'], stage: 'Contacted' },
  });
  const job = await endWithCrashes(queued, 15, () => 1 + below(14));

  expect(job).toMatchObject({
    status: 'done',
    counts: counts({ total: 41, updated: 39, skipped: 1, failed: 1 }),
  });
  const rows = await results(rep, job);
  expect(rows.map(({ row, contactId }) => [row, contactId])).toEqual(
    [...ids, 'nobody'].map((id, index) => [index + 1, id]),
  );
  const once = Object.fromEntries(others.map((id) => [id, 1]));
  expect(await eventsByContact(job._id, 'contact_updated')).toEqual(once);
  expect(await eventsByContact(job._id, 'contact_stage_changed')).toEqual(once);

  // Its revert, too.
  expectStatus(await product.call('revert-job', { token: rep.token, path: { id: job._id } }), 202);
  const reverted = await endWithCrashes(job, 15, () => 1 + below(14));
  expect(reverted).toMatchObject({
    ...{ status: 'reverted', counts: job.counts },
    result: { deleted: 0, restored: 39, kept: [] },
  });
  for (const id of others) {
    expect((await contacts.read(id)).body.data).toMatchObject({ tags: [], stage: 'New' });
  }
});

test('A job whose process ends after its first contacts still changes all that its filter had when it began', async () => {
  const source = 'Crash';
  const ids = await Promise.all(Array.from({ length: 30 }, async () => (await newContact({ source }))._id));
  // What it changes takes each contact out of the filter.
  const body = { filter: { status: 'New', source }, change: { stage: 'Contacted' } };
  const job = await endWithCrashes(await change(rep, body), 3, () => 12);
  expect(job).toMatchObject({ status: 'done', counts: counts({ total: 30, updated: 30 }) });
  const rows = await results(rep, job);
  expect(rows.map(({ contactId }) => contactId).toSorted()).toEqual(ids.toSorted());
  for (const id of ids) {
    expect((await contacts.read(id)).body.data.stage).toBe('Contacted');
  }
});
