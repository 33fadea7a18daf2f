import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boardCounterKey } from '../../shared/board/card.ts';
import { pipelinesKey } from '../../shared/pipelines/pipeline.ts';
import { type Desk, deskOf } from '../contacts/desk.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { assigned, officeOf } from '../organizations/office.ts';
import { pipelineDeskOf } from '../pipelines/pipeline-desk.ts';
import { voiceConversationsOf } from './about.ts';
import { phoneOf } from './phone.ts';
import { stopWhole } from './whole.ts';

let world: World;
let desk: Desk;
beforeAll(async () => {
  world = await startWorld();
  desk = deskOf(world.product, world.admin);
});
afterAll(() => stopWhole(world));

/** Gives a user a number. */
async function assign(person: Person, more: { isDefault: boolean; isInboundEnabled: boolean }) {
  return (await assigned(officeOf(world.product, world.admin), person, more)).phoneNumber;
}

describe('the default number of the user', () => {
  it('is `to` of inbound calls and `from` of outbound ones, and tells the provider', async () => {
    const person = await world.product.newColleague(world.admin);
    await assign(person, { isDefault: false, isInboundEnabled: true });
    const number = await assign(person, { isDefault: true, isInboundEnabled: true });
    const own = phoneOf(world.product, person);
    const inbound = await own.answered();
    const outbound = await own.dialed({ phoneNumber: newPhoneNumber() });
    expect(inbound).toMatchObject({ provider: 'twilio', to: number, providerPhoneNumber: number });
    expect(outbound).toMatchObject({ provider: 'twilio', from: number, providerPhoneNumber: number });
    expect(inbound.providerCallId).toBe(inbound._id);
  });

  it('is not said to be called when it takes no inbound calls', async () => {
    const person = await world.product.newColleague(world.admin);
    const number = await assign(person, { isDefault: true, isInboundEnabled: false });
    const own = phoneOf(world.product, person);
    expect(await own.answered()).toMatchObject({ provider: 'twilio', to: null, providerPhoneNumber: null });
    expect(await own.dialed({ phoneNumber: newPhoneNumber() })).toMatchObject({ from: number });
  });
});

describe('a SUPERADMIN who acts in another organization', () => {
  it('calls for it, and owns nothing of what comes of it', async () => {
    const headers = { 'x-organization-id': world.admin.organizationId };
    const call = await phoneOf(world.product, world.superadmin, headers).answered();
    expect(call).toMatchObject({
      organizationId: world.admin.organizationId,
      userId: world.superadmin.userId,
    });
    expect((await desk.read(call.contactId)).body.data.owner).toBeNull();
    expect(await voiceConversationsOf(world, call.contactId)).toMatchObject([{ userId: null }]);
  });
});

describe('without an active Contact pipeline', () => {
  it('an unknown number becomes a contact in the first stage of the oldest', async () => {
    const admin = await world.product.newOrganization();
    const pipelines = pipelineDeskOf(world.product, admin);
    const [oldest] = await pipelines.list('Contact');
    await pipelines.created({ name: 'Newer', stages: ['Elsewhere'] });
    expectStatus(await pipelines.update(oldest?._id ?? '', { isActive: false }), 200);
    const own = phoneOf(world.product, admin);
    for (const { contactId } of [await own.answered(), await own.dialed({ phoneNumber: newPhoneNumber() })]) {
      expect((await deskOf(world.product, admin).read(contactId)).body.data).toMatchObject({
        pipelineId: oldest?._id,
        stage: 'New',
      });
    }
  });
});

describe('without any Contact pipeline', () => {
  it('an unknown number is a 404 that says what to do; a known one is called as ever', async () => {
    const admin = await world.product.newOrganization();
    const own = phoneOf(world.product, admin);
    const known = await own.answered();
    const { table } = world.product.tableOf(admin.organizationId);
    const stored = await table.read(pipelinesKey());
    if (stored === undefined) {
      throw new Error('The organization has no pipelines');
    }
    const pipelines = stored.data.pipelines.filter(({ type }) => type !== 'Contact');
    await table.commit([
      table.replace(stored, { pipelines }),
      ...stored.data.pipelines.flatMap(({ stages: [first] }) =>
        Array.from({ length: 8 }, (_, shard) =>
          table.updateStep(boardCounterKey(first?._id ?? '', ['all'], shard), { update: 'REMOVE guard' }),
        ),
      ),
    ]);
    const { status, body } = await own.answer(newPhoneNumber());
    expect({ status, body }).toEqual({
      status: 404,
      body: {
        success: false,
        error: 'There is no Contact pipeline for a new contact to enter. Create one.',
      },
    });
    expect((await own.answered(known.from ?? '')).contactId).toBe(known.contactId);
  });
});
