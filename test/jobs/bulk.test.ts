import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { counts, jobsClient } from './jobs-client.ts';

const { product, admin, rep, otherRep, head, foreignAdmin, newContact } = await setUpTenants();
const { change, end, read, results } = jobsClient(product);
const contacts = contactsClient(product, rep);
const contact = async (id: string) => expectStatus(await contacts.read(id), 200).data;

/** New contacts of `rep`. */
const newContacts = (count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await newContact())._id));

test('A bulk change is accepted at once, changes each contact as its own operations would, and says what became of each', async () => {
  const ids = await newContacts(3);
  const queued = await change(rep, {
    ids,
    change: { addTags: ['newsletter'], stage: 'Contacted', setCustomFields: { wave: 2 } },
  });
  expect(queued).toEqual({
    ...{ _id: expect.any(String), type: 'bulk', status: 'queued', dryRun: false, counts: counts({}) },
    ...{ startedAt: null, endedAt: null, createdBy: rep.userId },
  });

  const job = await end(rep, queued);
  expect(job).toMatchObject({ status: 'done', counts: counts({ total: 3, updated: 3 }) });
  expect(Date.parse(job.startedAt ?? '')).toBeLessThanOrEqual(Date.parse(job.endedAt ?? ''));
  expect(await results(rep, job)).toEqual(
    ids.map((contactId, index) => ({ row: index + 1, contactId, status: 'updated' })),
  );
  for (const id of ids) {
    expect(await contact(id)).toMatchObject({
      ...{ tags: ['newsletter'], stage: 'Contacted', customFields: { wave: 2 } },
    });
  }
});

test('A contact that needs no change is skipped, one that the caller may not see fails, and each counts once', async () => {
  const [tagged = '', plain = ''] = await newContacts(2);
  await arrange(contacts.update(tagged, { tags: ['vip'] }));
  const ids = [tagged, plain, 'nobody', plain, tagged];
  const job = await end(rep, await change(rep, { ids, change: { addTags: ['VIP'] } }));
  expect(job.counts).toEqual(counts({ total: 3, updated: 1, skipped: 1, failed: 1 }));
  expect(await results(rep, job)).toEqual([
    { row: 1, contactId: tagged, status: 'skipped', reason: 'unchanged' },
    { row: 2, contactId: plain, status: 'updated' },
    { row: 3, contactId: 'nobody', status: 'failed', reason: 'Contact not found' },
  ]);
  expect(await results(rep, job, { status: 'failed', limit: '1' })).toHaveLength(1);

  const others = await end(
    otherRep,
    await change(otherRep, { ids: [plain], change: { addTags: ['theirs'] } }),
  );
  expect(others.counts).toEqual(counts({ total: 1, failed: 1 }));
  expect((await contact(plain)).tags).toEqual(['VIP']);
});

test('The results can be had as a file for a spreadsheet', async () => {
  const [id = ''] = await newContacts(1);
  const job = await end(rep, await change(rep, { ids: [id, 'nobody'], change: { addTags: ['filed'] } }));
  const csv = async (query: object) => {
    const request = { path: { id: job._id }, query: { format: 'csv', ...query } };
    const { status, headers, body } = await product.call('list-job-results', {
      token: rep.token,
      ...request,
    });
    return { status, type: headers['content-type'], lines: String(body).split('\r\n') };
  };
  expect(await csv({})).toEqual({
    status: 200,
    type: 'text/csv; charset=utf-8',
    lines: ['\uFEFFrow,contactId,status,reason', `1,${id},updated,`, '2,nobody,failed,Contact not found', ''],
  });
  expect((await csv({ status: 'updated' })).lines).toHaveLength(3);
});

test('People are added to and taken from each contact, and others stay', async () => {
  const [id = ''] = await newContacts(1);
  await arrange(contacts.update(id, { assignees: [otherRep.userId] }));
  const body = { ids: [id], change: { addAssignees: [head.userId], owner: null } };
  expect((await end(rep, await change(rep, body))).status).toBe('done');
  expect(await contact(id)).toMatchObject({ owner: null, assignees: [otherRep.userId, head.userId] });
  const taken = { ids: [id], change: { removeAssignees: [otherRep.userId], addAssignees: [rep.userId] } };
  await end(rep, await change(rep, taken));
  expect((await contact(id)).assignees).toEqual([head.userId, rep.userId]);
});

test('A dry run says what would change, and changes nothing', async () => {
  const [id = ''] = await newContacts(1);
  const before = await contact(id);
  const job = await end(
    rep,
    await change(rep, { ids: [id], change: { addTags: ['a'], stage: 'Contacted' }, dryRun: true }),
  );
  expect(job).toMatchObject({ status: 'done', dryRun: true, counts: counts({ total: 1, updated: 1 }) });
  expect(await contact(id)).toEqual(before);
});

test('Only a DEPARTMENT_HEAD deletes by a job, and confirms the number of more than 100 contacts', async () => {
  const [id = ''] = await newContacts(1);
  const ids = [id, ...Array.from({ length: 100 }, (_, index) => `nobody-${index}`)];
  const refused = async ({ token }: { readonly token: string }, body: object) => {
    const { status, body: answer } = await product.call('change-contacts', { token, body });
    return [status, answer.message];
  };
  expect(await refused(rep, { ids: [id], action: 'delete' })).toEqual([
    ...[403, 'Only a DEPARTMENT_HEAD or higher may delete contacts by a job.'],
  ]);
  for (const confirm of [undefined, 100]) {
    expect(await refused(head, { ids, action: 'delete', confirm })).toEqual([
      ...[400, 'confirm must be 101, the number of contacts to delete for good'],
    ]);
  }
  const dry = await end(head, await change(head, { ids, action: 'delete', dryRun: true }));
  expect(dry.counts).toEqual(counts({ total: 101, updated: 1, failed: 100 }));
  expect((await contact(id))._id).toBe(id);
  const job = await end(head, await change(head, { ids, action: 'delete', confirm: 101 }));
  expect(job.counts).toEqual(dry.counts);
  expect((await contacts.read(id)).status).toBe(404);
});

test('A change that no contact could have is refused at once, and no job begins', async () => {
  const bulk = (body: object) => product.call('change-contacts', { token: rep.token, body });
  const ids = await newContacts(1);
  const refused = [
    { ids, change: {} },
    { ids },
    { ids, change: { addTags: ['a'] }, action: 'archive' },
    { ids: [], change: { addTags: ['a'] } },
    { ids, change: { stage: 'Nowhere' } },
    { ids, change: { owner: foreignAdmin.userId } },
    { ids, change: { addAssignees: ['nobody'] } },
  ];
  const list = () => product.call('list-jobs', { token: rep.token });
  const before = (await list()).body.data;
  for (const body of refused) {
    expect(await bulk(body)).toMatchObject({
      status: expect.toSatisfy((status) => status >= 400 && status < 500),
    });
  }
  expect((await list()).body.data).toEqual(before);
});

test('The creator and every ADMIN see a job and its results, and nobody else', async () => {
  const ids = await newContacts(1);
  const job = await end(rep, await change(rep, { ids, change: { addTags: ['seen'] } }));
  const listed = async ({ token }: { readonly token: string }) =>
    (await arrange(product.call('list-jobs', { token, query: { type: 'bulk' } }))).data.map(
      ({ _id }: { readonly _id: string }) => _id,
    );
  for (const person of [rep, admin]) {
    expect(await read(person, job._id)).toEqual(job);
    expect((await listed(person))[0]).toBe(job._id);
    expect(await results(person, job)).toHaveLength(1);
  }
  for (const { token } of [head, otherRep, foreignAdmin]) {
    const path = { id: job._id };
    expect((await product.call('read-job', { token, path })).status).toBe(404);
    expect((await product.call('list-job-results', { token, path })).status).toBe(404);
    expect(await listed({ token })).not.toContain(job._id);
  }
});

test('A job works with the rights that its creator has at that time', async () => {
  const leaver = await product.newColleague(admin);
  const { token } = leaver;
  const { _id: id } = expectStatus(
    await product.call('create-contact', { token, body: { firstName: 'Grace' } }),
    201,
  ).data;
  const queued = await change(leaver, { ids: [id], change: { addTags: ['late'] } });
  await arrange(
    product.call('update-user', {
      token: admin.token,
      path: { id: leaver.userId },
      body: { disabled: true },
    }),
  );
  const job = await end(admin, queued);
  expect(job).toMatchObject({ status: 'failed', counts: counts({ total: 1, skipped: 1 }) });
  expect(await results(admin, job)).toEqual([
    { row: 1, contactId: id, status: 'skipped', reason: 'creator_disabled' },
  ]);
});
