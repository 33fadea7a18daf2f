import { expect, test } from 'vitest';
import type { Application } from '../../shared/contact-aggregate/application.ts';
import { contactsClient } from '../contacts/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { applicationFields, applicationsClient } from './client.ts';

/** Decisions 10, "Application": `GET /api/applications?contactId=&limit=&cursor=`. */

const { product, admin, rep, otherRep, foreignAdmin } = await setUpTenants();
const clientOf = (person: Person) => applicationsClient(product, person);
const contactsOf = (person: Person) => contactsClient(product, person);
const idsOf = (applications: readonly Application[]) => applications.map(({ _id }) => _id);
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

const jobs = await pipelinesClient(product, admin).created({
  name: 'Jobs',
  type: 'Application',
  stages: ['Sent', 'Hired'],
});
const mine = await contactsOf(rep).created({ firstName: 'Mine' });
const shared = await contactsOf(otherRep).created({ firstName: 'Shared', assignees: [rep.userId] });
const theirs = await contactsOf(otherRep).created({ firstName: 'Theirs' });
/** Oldest first: of three contacts in turn, in all stages of two pipelines. */
const all: Application[] = [];
for (let n = 0; n < 24; n += 1) {
  const contact = [mine, shared, theirs][n % 3];
  const place = [
    {},
    { stage: 'Approved' },
    { pipelineId: jobs._id },
    { pipelineId: jobs._id, stage: 'Hired' },
  ][n % 4];
  const body = { contactId: contact?._id, name: `Number ${n}`, ...place };
  all.push(await clientOf(admin).created(body, minutesAgo(100 - n)));
}
const newestFirst = [...all].reverse();
const of = (...contacts: { _id: string }[]) =>
  newestFirst.filter(({ contactId }) => contacts.some(({ _id }) => _id === contactId));

test('GET /api/applications returns {success, data, nextCursor} with whole applications, newest first, of every Application pipeline', async () => {
  const { status, body } = await clientOf(admin).list();
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['success', 'data', 'nextCursor']);
  expect(body).toEqual({ success: true, data: newestFirst, nextCursor: null });
  expect(Object.keys(body.data[0])).toEqual(applicationFields);
});

test('GET /api/applications shows each application once, whatever the size of the pages', async () => {
  for (const limit of ['1', '5', '7', '100']) {
    expect(idsOf(await clientOf(admin).listed({ limit }))).toEqual(idsOf(newestFirst));
    expect(idsOf(await clientOf(rep).listed({ limit }))).toEqual(idsOf(of(mine, shared)));
    expect(idsOf(await clientOf(admin).listed({ contactId: mine._id, limit }))).toEqual(idsOf(of(mine)));
  }
});

test('GET /api/applications?contactId= shows those of a contact that the caller sees; of any other it is 404', async () => {
  expect(await clientOf(rep).listed({ contactId: mine._id })).toEqual(of(mine));
  const missing = failure(404, 'Contact not found');
  expect(outcome(await clientOf(rep).list({ contactId: theirs._id }))).toEqual(missing);
  expect(outcome(await clientOf(foreignAdmin).list({ contactId: mine._id }))).toEqual(missing);
  expect(outcome(await clientOf(rep).list({ contactId: 'nobody' }))).toEqual(missing);
});

test('GET /api/applications shows at once what was created, edited, moved or deleted, and where a stage has another name', async () => {
  const own = await product.newOrganization();
  const { create, update, move, remove, listed } = applicationsClient(product, own);
  const contact = await contactsOf(own).created({ firstName: 'Ada' });
  const { data: first } = expectStatus(await create({ contactId: contact._id, name: 'Loan' }), 201);
  expect(await listed()).toEqual([first]);
  const { data: edited } = expectStatus(await update(first._id, { name: 'Larger loan' }), 200);
  expect(await listed()).toEqual([edited]);
  const { data: moved } = expectStatus(await move(first._id, { stage: 'Approved' }), 200);
  expect(await listed()).toEqual([moved]);
  const pipelines = pipelinesClient(product, own);
  const [pipeline] = await pipelines.list('Application');
  const stages = pipeline?.stages.map(({ _id, name }) => ({ _id, name: `${name}!` }));
  expectStatus(await pipelines.update(pipeline?._id ?? '', { stages }), 200);
  expect(await listed()).toEqual([{ ...moved, stage: 'Approved!' }]);
  expectStatus(await remove(first._id), 200);
  expect(await listed()).toEqual([]);
});

test('GET /api/applications finds nothing in an organization without an Application pipeline', async () => {
  const own = await product.newOrganization();
  const pipelines = pipelinesClient(product, own);
  const [pipeline] = await pipelines.list('Application');
  expectStatus(await pipelines.remove(pipeline?._id ?? ''), 200);
  expect((await clientOf(own).list()).body).toEqual({ success: true, data: [], nextCursor: null });
});
