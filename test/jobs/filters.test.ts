import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { counts, jobsClient } from './jobs-client.ts';

const { product, admin, head, rep, otherRep, newContact } = await setUpTenants();
const { change, end, results } = jobsClient(product);
const contacts = contactsClient(product, admin);
const tagsOf = async (id: string) => expectStatus(await contacts.read(id), 200).data.tags;

test('A job changes all contacts of a filter that its creator sees, in every stage, and no others', async () => {
  const [one, moved, other] = await Promise.all(
    ['Fair', 'Fair', 'Ad'].map((source) => newContact({ source })),
  );
  await arrange(contacts.move(moved?._id ?? '', { stage: 'Contacted' }));
  const theirs = await contactsClient(product, otherRep).created({ firstName: 'Theirs', source: 'Fair' });
  const body = { filter: { source: 'fair' }, change: { addTags: ['met'] } };
  const job = await end(rep, await change(rep, body));
  expect(job).toMatchObject({ status: 'done', counts: counts({ total: 2, updated: 2 }) });
  const changed = (await results(rep, job)).map(({ contactId }) => contactId);
  expect(changed.toSorted()).toEqual([one?._id, moved?._id].toSorted());
  expect([await tagsOf(other?._id ?? ''), await tagsOf(theirs._id)]).toEqual([[], []]);

  expect((await end(admin, await change(admin, body))).counts).toEqual(
    counts({ total: 3, updated: 1, skipped: 2 }),
  );
});

test('A job changes the contacts of a segment, as its creator sees it', async () => {
  await Promise.all([newContact({ source: 'Segment' }), newContact({ source: 'Segment' })]);
  const segment = { name: 'From the segment', filter: { source: 'Segment' }, isShared: true };
  const { _id: segmentId } = expectStatus(
    await product.call('create-segment', { token: admin.token, body: segment }),
    201,
  ).data;
  const body = { segmentId, change: { addTags: ['in'] } };
  expect((await end(rep, await change(rep, body))).counts).toEqual(counts({ total: 2, updated: 2 }));
  expect((await end(otherRep, await change(otherRep, body))).counts).toEqual(counts({}));
  const unknown = { segmentId: 'nobody', change: { addTags: ['in'] } };
  expect((await product.call('change-contacts', { token: rep.token, body: unknown })).status).toBe(404);
});

test('Many contacts of a filter are deleted only if their number is confirmed, and is still the same', async () => {
  const created = await Promise.all(
    Array.from({ length: 101 }, () =>
      contactsClient(product, rep).created({ firstName: 'Old', source: 'Old' }),
    ),
  );
  const body = { filter: { source: 'Old' }, action: 'delete' };
  expect(await product.call('change-contacts', { token: head.token, body })).toMatchObject({
    status: 400,
    body: { message: 'confirm must be 101, the number of contacts to delete for good' },
  });
  const queued = await change(head, { ...body, confirm: 101 });
  await arrange(contacts.update(created[0]?._id ?? '', { source: 'New' }));
  const stopped = await end(head, queued);
  expect(stopped).toMatchObject({
    counts: counts({}),
    result: { problem: 'There are no longer exactly 101 contacts: none was deleted.' },
  });
  const job = await end(head, await change(head, body));
  expect(job.counts).toEqual(counts({ total: 100, updated: 100 }));
  expect((await contacts.read(created[0]?._id ?? '')).status).toBe(200);
  expect((await contacts.read(created[1]?._id ?? '')).status).toBe(404);
});
