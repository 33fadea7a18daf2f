import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { counts, type JobRecord, jobsClient } from './jobs-client.ts';

const { product, admin, rep, otherRep, head, newContact } = await setUpTenants();
const { change, end } = jobsClient(product);
const contacts = contactsClient(product, rep);
const contact = async (id: string) => expectStatus(await contacts.read(id), 200).data;
const revert = ({ token }: { readonly token: string }, { _id: id }: Pick<JobRecord, '_id'>) =>
  product.call('revert-job', { token, path: { id } });

/** Changes contacts by a job of `rep`. */
const changed = async (ids: readonly string[], fields: object) =>
  end(rep, await change(rep, { ids, change: fields }));

/** Reverts a job; what it came to. */
async function reverted(job: JobRecord) {
  const running = expectStatus(await revert(rep, job), 202).data;
  expect(running).toMatchObject({ status: 'running', endedAt: null, counts: job.counts });
  return end(rep, running);
}

/** The contact without when it was changed. */
const lasting = async (id: string) => {
  const { updatedAt: _, ...rest } = await contact(id);
  return rest;
};

test('A reverted bulk change leaves contacts as they were before', async () => {
  const ids = [(await newContact({ tags: ['old', 'Vip'], customFields: { size: 4, colour: 'red' } }))._id];
  ids.push((await newContact({ assignees: [otherRep.userId] }))._id);
  const before = await Promise.all(ids.map(lasting));
  const job = await changed(ids, {
    ...{ addTags: ['new'], removeTags: ['vip'], owner: null, stage: 'Contacted' },
    ...{ addAssignees: [rep.userId], removeAssignees: [otherRep.userId] },
    setCustomFields: { size: 5, colour: null, shape: 'round' },
  });
  expect(job.counts).toEqual(counts({ total: 2, updated: 2 }));
  expect(await lasting(ids[0] ?? '')).not.toEqual(before[0]);

  const end = await reverted(job);
  expect(end).toMatchObject({
    ...{ status: 'reverted', counts: job.counts },
    result: { deleted: 0, restored: 2, kept: [] },
  });
  expect(await Promise.all(ids.map(lasting))).toEqual(
    before.map((one) => ({ ...one, tags: expect.toSatisfy((tags) => same(tags, one.tags)) })),
  );
});

const same = (tags: string[], others: string[]) => tags.toSorted().join() === others.toSorted().join();

test('What somebody has changed since stays, and the result names it', async () => {
  const [taken, tagged, gone] = await Promise.all([newContact(), newContact(), newContact()]);
  const ids = [taken._id, tagged._id, gone._id];
  const job = await changed(ids, { addTags: ['wave'], owner: otherRep.userId, addAssignees: [rep.userId] });
  await arrange(contacts.update(taken._id, { owner: admin.userId, removeTags: ['wave'] }));
  await arrange(contacts.update(tagged._id, { addTags: ['theirs'] }));
  await arrange(contacts.remove(gone._id));
  const { result } = await reverted(job);
  expect(result).toEqual({
    ...{ deleted: 0, restored: 2 },
    kept: [
      { contactId: taken._id, reason: 'changed since: owner' },
      { contactId: gone._id, reason: 'deleted' },
    ],
  });
  expect(await contact(taken._id)).toMatchObject({ owner: admin.userId, assignees: [], tags: [] });
  expect(await contact(tagged._id)).toMatchObject({ owner: rep.userId, tags: ['theirs'] });
});

test('A job can be reverted once, when it has ended, by those who may see it; dry runs cannot', async () => {
  const ids = [(await newContact())._id];
  const queued = await change(rep, { ids, change: { addTags: ['once'] } });
  expect((await revert(otherRep, queued)).status).toBe(404);
  const refused = async (job: Pick<JobRecord, '_id'>) => {
    const { status, body } = await revert(rep, job);
    return { status, message: body.message };
  };
  expect(await refused(queued)).toEqual({
    status: 409,
    message: 'The job is queued: only one that has ended can be reverted, and only once.',
  });
  const job = await end(rep, queued);
  await reverted(job);
  expect((await refused(job)).message).toContain('The job is reverted');
  const dry = await end(rep, await change(rep, { ids, change: { addTags: ['dry'] }, dryRun: true }));
  expect(await refused(dry)).toEqual({
    status: 409,
    message: 'The job was a dry run: there is nothing to revert.',
  });
});

test('An ADMIN reverts the job of somebody else, and the changes are theirs', async () => {
  const { _id: id } = await newContact();
  const job = await changed([id], { addTags: ['theirs'] });
  expectStatus(await revert(admin, job), 202);
  expect(await end(admin, job)).toMatchObject({ status: 'reverted', createdBy: rep.userId });
  expect((await contact(id)).tags).toEqual([]);
});

test('Archived contacts are restored by a revert, and deleted ones are not', async () => {
  const ids = await Promise.all([1, 2].map(async () => (await newContact())._id));
  const archived = await end(rep, await change(rep, { ids, action: 'archive' }));
  expect(archived.counts).toEqual(counts({ total: 2, updated: 2 }));
  expect((await contact(ids[0] ?? '')).archivedAt).toEqual(expect.any(String));
  expect((await reverted(archived)).result).toMatchObject({ restored: 2, kept: [] });
  expect(await contact(ids[0] ?? '')).not.toHaveProperty('archivedAt');

  const deleted = await end(head, await change(head, { ids, action: 'delete' }));
  expect(deleted.counts).toEqual(counts({ total: 2, updated: 2 }));
  expect((await contacts.read(ids[0] ?? '')).status).toBe(404);
  expect(await revert(head, deleted)).toMatchObject({
    status: 409,
    body: { message: 'What this job did cannot be reverted.' },
  });
});
