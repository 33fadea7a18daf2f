import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../shared/live/outbox.ts';
import { expectStatus, newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { type Desk, deskOf, eventsOf } from './desk.ts';

let world: World;
let desk: Desk;
let admin: string;
let rep: string;
let head: string;
beforeAll(async () => {
  world = await startWorld();
  desk = deskOf(world.product, world.admin);
  [admin, rep, head] = [world.admin, world.rep, world.head].map(({ userId }) => userId) as [
    string,
    string,
    string,
  ];
});
afterAll(() => world.product.stop());

/** The events that an act leaves behind, and what it answered. */
async function eventsIn<Result>(
  act: () => Promise<Result>,
): Promise<{ events: StoredEvent[]; result: Result }> {
  const { product } = world;
  const { organizationId } = world.admin;
  const before = new Set((await eventsOf(product, organizationId)).map(({ id }) => id));
  const result = await act();
  return { result, events: (await eventsOf(product, organizationId)).filter(({ id }) => !before.has(id)) };
}

describe('exactly one event', () => {
  it('tells of a new contact to those tied to it', async () => {
    const at = new Date();
    const { events, result: contact } = await eventsIn(() =>
      desk.created({ firstName: 'New', owner: rep, assignees: [head] }, at),
    );
    expect(events).toEqual([
      {
        id: expect.stringMatching(/^[0-9A-Z]{26}$/),
        event: 'contact_created',
        at: at.toISOString(),
        data: { contactId: contact._id, pipelineId: contact.pipelineId, stageId: contact.stageId, contact },
        audience: { kind: 'record', people: [admin, rep, head] },
      },
    ]);
  });

  it('tells of an update, also those who were tied to the contact before', async () => {
    const { _id } = await desk.created({ firstName: 'Old', owner: rep });
    const { events, result } = await eventsIn(() => desk.update(_id, { firstName: 'Edited', owner: head }));
    expect(events).toMatchObject([
      {
        event: 'contact_updated',
        data: { contactId: _id, contact: expectStatus(result, 200).data },
        audience: { kind: 'record', people: [admin, head], formerly: [admin, rep] },
      },
    ]);
  });

  it('tells of a move: from where, to where', async () => {
    const { _id, stageId: fromStageId } = await desk.created({ firstName: 'Mover', owner: null });
    const { events, result } = await eventsIn(() => desk.move(_id, { stage: 'Won' }));
    const contact = expectStatus(result, 200).data;
    expect(events).toMatchObject([
      {
        event: 'contact_stage_changed',
        data: { contactId: _id, fromStageId, toStageId: contact.stageId, stageId: contact.stageId, contact },
        audience: { kind: 'record', people: [admin] },
      },
    ]);
  });

  it('tells of a removal, with nothing of the record but where it was', async () => {
    const { _id, pipelineId, stageId } = await desk.created({ firstName: 'Gone', assignees: [rep] });
    const { events } = await eventsIn(() => desk.remove(_id));
    expect(events).toMatchObject([
      { event: 'contact_removed', audience: { kind: 'record', people: [admin, rep] } },
    ]);
    expect(events[0]?.data).toEqual({ contactId: _id, pipelineId, stageId });
  });

  it('of a contact too large for a frame carries the ids alone', async () => {
    const body = {
      firstName: 'Large',
      customFields: { text: 'x'.repeat(16_000) },
      tags: Array.from({ length: 50 }, (_, n) => `${'😀'.repeat(48)}${n}`),
      phoneNumbers: Array.from({ length: 10 }, () => ({ value: newPhoneNumber(), label: '😀'.repeat(200) })),
    };
    const { events, result } = await eventsIn(() => desk.created(body));
    const { _id: contactId, pipelineId, stageId } = result;
    expect(events.map(({ data }) => data)).toEqual([{ contactId, pipelineId, stageId }]);
  });
});

describe('no event', () => {
  it('tells of a move to where the contact is', async () => {
    const { _id } = await desk.created({ firstName: 'Stay' });
    const { events, result } = await eventsIn(() => desk.move(_id, { stage: 'New' }));
    expect(events).toEqual([]);
    expect(result.status).toBe(200);
  });

  it('tells of an update that changes nothing, and updatedAt stays', async () => {
    const body = {
      firstName: 'Same',
      phoneNumbers: [{ value: newPhoneNumber() }],
      tags: ['a'],
      assignees: [rep],
      customFields: { a: { b: [1] } },
    };
    const record = await desk.created(body);
    const later = new Date(Date.now() + 5_000);
    for (const same of [
      {},
      { unknown: 1 },
      { firstName: ' Same' },
      body,
      { ...body, email: null, owner: admin },
    ]) {
      const { events, result } = await eventsIn(() => desk.update(record._id, same, later));
      expect(events).toEqual([]);
      expect(expectStatus(result, 200).data).toEqual(record);
    }
    expect((await desk.read(record._id)).body.data).toEqual(record);
  });

  it('tells of a change that fails', async () => {
    const value = newPhoneNumber();
    await desk.created({ firstName: 'Holder', phoneNumbers: [{ value }] });
    const { _id } = await desk.created({ firstName: 'Other' });
    const { events, result } = await eventsIn(async () => [
      await desk.create({ firstName: 'A', phoneNumbers: [{ value }] }),
      await desk.create({ firstName: 'A', owner: 'nobody' }),
      await desk.create({ firstName: 'A', stage: 'Nowhere' }),
      await desk.create({}),
      await desk.update(_id, { phoneNumbers: [{ value }] }),
      await desk.update(_id, { assignees: ['nobody'] }),
      await desk.update('nothing', { firstName: 'A' }),
      await desk.move(_id, { stage: 'Nowhere' }),
      await desk.remove('nothing'),
      await deskOf(world.product, world.stranger).remove(_id),
    ]);
    expect(result.map(({ status }) => status)).toEqual([409, 400, 404, 400, 409, 400, 404, 404, 404, 404]);
    expect(events).toEqual([]);
  });
});
