import { expect, test } from 'vitest';
import type { Application } from '../../shared/contact-aggregate/application.ts';
import { contactsClient } from '../contacts/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, failure } from '../harness/tenants.ts';
import { applicationsClient } from './client.ts';

const { product, admin, head, rep, otherRep, otherHead, foreignAdmin } = await setUpTenants();

const clientOf = (person: Person) => applicationsClient(product, person);
const missing = failure(404, 'Application not found');

/** What each door answers about an application: whether it is there. */
async function doorsTo({ _id }: Application, person: Person): Promise<boolean[]> {
  const { read, manage, everything } = clientOf(person);
  const reads = [await read(_id), await manage(_id)];
  for (const { status, body } of reads) {
    expect(status === 200 || { status, body }).toEqual(status === 200 || missing);
  }
  const shown = await everything();
  return [
    ...reads.map(({ status }) => status === 200),
    shown.some((applicant) => applicant.applicationId === _id),
  ];
}

const [open, shut] = [
  [true, true, true],
  [false, false, false],
];
const contacts = contactsClient(product, admin);
const owned = await contacts.created({ firstName: 'Owned', owner: rep.userId });
const ofRep = await clientOf(admin).created({ contactId: owned._id, name: 'Made by the admin' });
// Made while the contact was the rep's, who sees it no more.
const lost = await contacts.created({ firstName: 'Lost', owner: rep.userId });
const byRep = await clientOf(rep).created({ contactId: lost._id, name: 'Made by the rep' });
expectStatus(await contacts.update(lost._id, { owner: otherRep.userId }), 200);
expect((await contactsClient(product, rep).read(lost._id)).status).toBe(404);
const far = await contacts.created({ firstName: 'Far', owner: null });
const ofNobodyHere = await clientOf(admin).created({ contactId: far._id, name: 'Of nobody' });

test('An application is there for the SALES_REP whose contact it is of, even when another made it; and for no other', async () => {
  expect(await doorsTo(ofRep, rep)).toEqual(open);
  expect(await doorsTo(byRep, rep)).toEqual(shut);
  expect(await doorsTo(ofNobodyHere, rep)).toEqual(shut);
  expect(await doorsTo(ofRep, otherRep)).toEqual(shut);
  expect(await doorsTo(byRep, otherRep)).toEqual(open);
});

test('An application is there for the DEPARTMENT_HEAD of that SALES_REP', async () => {
  expect(await doorsTo(ofRep, head)).toEqual(open);
  expect(await doorsTo(byRep, head)).toEqual(shut);
  expect(await doorsTo(ofNobodyHere, head)).toEqual(shut);
  for (const application of [ofRep, byRep, ofNobodyHere]) {
    expect(await doorsTo(application, otherHead)).toEqual(shut);
  }
});

test('An application is there for every ADMIN of the organization, and none of another', async () => {
  for (const application of [ofRep, byRep, ofNobodyHere]) {
    expect(await doorsTo(application, admin)).toEqual(open);
    expect(await doorsTo(application, foreignAdmin)).toEqual(shut);
  }
});

test('An application is there for whoever filters by the users tied to its contact', async () => {
  const idsFor = async (person: Person, body: Record<string, unknown>) =>
    new Set((await clientOf(person).everything(body)).map(({ applicationId }) => applicationId));
  for (const body of [{ ownerFilter: rep.userId }, { owner: [rep.userId] }]) {
    expect(await idsFor(admin, body)).toEqual(new Set([ofRep._id]));
    expect(await idsFor(otherRep, body)).toEqual(new Set());
  }
  expect(await idsFor(rep, { ownerFilter: 'my' })).toEqual(new Set([ofRep._id]));
  expect(await idsFor(admin, { ownerFilter: 'unassigned' })).toEqual(new Set([ofNobodyHere._id]));
  expect(await idsFor(rep, { ownerFilter: 'unassigned' })).toEqual(new Set());
});
