import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Application } from '../../shared/applications/application.ts';
import { contactsClient } from '../contacts/client.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, startWorld, type World } from '../harness/world.ts';
import { applicationsClient } from './client.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.stop());

const desk = (person: Person) => applicationsClient(world.product, person);
const missing = { status: 404, body: { success: false, message: 'Application not found' } };

/** What each door answers about an application: whether it is there. */
async function doorsTo({ _id }: Application, person: Person): Promise<boolean[]> {
  const { read, manage, everything } = desk(person);
  const reads = [await read(_id), await manage(_id)];
  for (const { status, body } of reads) {
    expect(status === 200 || { status, body }).toEqual(status === 200 || missing);
  }
  const shown = await everything();
  return [...reads.map(({ status }) => status === 200), shown.some((one) => one.applicationId === _id)];
}

const [open, shut] = [
  [true, true, true],
  [false, false, false],
];

describe('an application is there for', () => {
  let ofRep: Application;
  let byRep: Application;
  let ofNobodyHere: Application;
  beforeAll(async () => {
    const { admin, rep, stranger } = world;
    const contacts = contactsClient(world.product, admin);
    const owned = await contacts.created({ firstName: 'Owned', owner: rep.userId });
    ofRep = await desk(admin).created({ contactId: owned._id, name: 'Made by the admin' });

    // Made while the contact was the rep's, who sees it no more.
    const lost = await contacts.created({ firstName: 'Lost', owner: rep.userId });
    byRep = await desk(rep).created({ contactId: lost._id, name: 'Made by the rep' });
    expectStatus(await contacts.update(lost._id, { owner: stranger.userId }), 200);
    expect((await contactsClient(world.product, rep).read(lost._id)).status).toBe(404);

    const far = await contacts.created({ firstName: 'Far', owner: null });
    ofNobodyHere = await desk(admin).created({ contactId: far._id, name: 'Of nobody' });
  });

  it('the SALES_REP whose contact it is of, also when another made it; and for no other', async () => {
    const { rep } = world;
    expect(await doorsTo(ofRep, rep)).toEqual(open);
    expect(await doorsTo(byRep, rep)).toEqual(shut);
    expect(await doorsTo(ofNobodyHere, rep)).toEqual(shut);
    expect(await doorsTo(ofRep, world.stranger)).toEqual(shut);
    expect(await doorsTo(byRep, world.stranger)).toEqual(open);
  });

  it('the DEPARTMENT_HEAD of that SALES_REP', async () => {
    expect(await doorsTo(ofRep, world.head)).toEqual(open);
    expect(await doorsTo(byRep, world.head)).toEqual(shut);
    expect(await doorsTo(ofNobodyHere, world.head)).toEqual(shut);
    for (const application of [ofRep, byRep, ofNobodyHere]) {
      expect(await doorsTo(application, world.otherHead)).toEqual(shut);
    }
  });

  it('every ADMIN of the organization, and none of another', async () => {
    for (const application of [ofRep, byRep, ofNobodyHere]) {
      expect(await doorsTo(application, world.admin)).toEqual(open);
      expect(await doorsTo(application, world.foreigner)).toEqual(shut);
    }
  });

  it('whoever may change it: the others get 404 and change nothing', async () => {
    const before = (await desk(world.admin).read(ofRep._id)).body.data;
    for (const person of [world.stranger, world.otherHead, world.foreigner, world.foreignRep]) {
      for (const answer of [
        await desk(person).move(ofRep._id, { stage: 'Approved' }),
        await desk(person).remove(ofRep._id),
      ]) {
        expect({ status: answer.status, body: answer.body }).toEqual(missing);
      }
    }
    expect((await desk(world.admin).read(ofRep._id)).body.data).toEqual(before);
    expectStatus(await desk(world.stranger).move(byRep._id, { stage: 'In review' }), 200);
  });

  it('whoever filters by the users tied to its contact', async () => {
    const idsFor = async (person: Person, body: Record<string, unknown>) =>
      new Set((await desk(person).everything(body)).map(({ applicationId }) => applicationId));
    for (const body of [{ ownerFilter: world.rep.userId }, { owner: [world.rep.userId] }]) {
      expect(await idsFor(world.admin, body)).toEqual(new Set([ofRep._id]));
      expect(await idsFor(world.stranger, body)).toEqual(new Set());
    }
    expect(await idsFor(world.rep, { ownerFilter: 'my' })).toEqual(new Set([ofRep._id]));
    expect(await idsFor(world.admin, { ownerFilter: 'unassigned' })).toEqual(new Set([ofNobodyHere._id]));
    expect(await idsFor(world.rep, { ownerFilter: 'unassigned' })).toEqual(new Set());
  });

  it('nobody by way of a contact they do not see: that is a 404 of the contact', async () => {
    const { status, body } = await desk(world.stranger).create({ contactId: ofRep.contactId, name: 'Sly' });
    expect({ status, body }).toEqual({
      status: 404,
      body: { success: false, message: 'Contact not found' },
    });
  });
});
