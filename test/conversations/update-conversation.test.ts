import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { minute, after as plus } from '../../shared/kernel/time.ts';
import { deskOf, eventsOf } from '../contacts/desk.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, startWorld, type World } from '../harness/world.ts';
import { inboxOf, newConversation } from './conversations.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.stop());

const inbox = (person: Person) => inboxOf(world.product, person);
const lastEvent = async (contactId: string) =>
  (await eventsOf(world.product, world.admin.organizationId))
    .filter(({ data }) => data.contactId === contactId)
    .at(-1);

describe('A conversation', () => {
  it('is resolved and opened: `{success: true, message, data: Conversation}`', async () => {
    const { conversationId } = await newConversation(world);
    const before = (await inbox(world.rep).read(conversationId)).body.data;
    const at = plus(new Date(), minute);
    for (const isResolved of [true, false]) {
      const { status, body } = await inbox(world.rep).update(conversationId, { isResolved }, at);
      expect(status).toBe(200);
      expect(body).toEqual({
        success: true,
        message: 'Conversation updated',
        data: { ...before, isResolved, updatedAt: at.toISOString() },
      });
      expect((await inbox(world.rep).read(conversationId)).body.data).toEqual(body.data);
    }
  });

  it('stays as it is, updatedAt too, when an update says nothing new', async () => {
    const { conversationId, contactId } = await newConversation(world);
    const { data } = (await inbox(world.rep).read(conversationId)).body;
    const event = await lastEvent(contactId);
    for (const body of [
      {},
      { isResolved: false, assignees: [], userId: data.userId },
      { lastMessage: 'x' },
    ]) {
      const answer = await inbox(world.rep).update(conversationId, body, plus(new Date(), minute));
      expect(answer.body).toEqual({ success: true, message: 'No changes', data });
    }
    expect(await lastEvent(contactId)).toEqual(event);
  });

  it('is assigned to users, each once, who see it from then on without seeing the contact', async () => {
    const { contactId, conversationId } = await newConversation(world);
    const { rep, stranger } = world;
    expect((await inbox(stranger).read(conversationId)).status).toBe(404);
    const assignees = [stranger.userId, stranger.userId];
    const { data } = expectStatus(await inbox(rep).update(conversationId, { assignees }), 200);
    expect(data.assignees).toEqual([stranger.userId]);
    expect((await inbox(stranger).read(conversationId)).body.data).toEqual(data);
    expect((await inbox(stranger).messages(conversationId)).status).toBe(200);
    expect(await inbox(stranger).ids()).toContain(conversationId);
    expect((await deskOf(world.product, stranger).read(contactId)).status).toBe(404);
    // And may answer it.
    expectStatus(await inbox(stranger).send({ contactId, content: 'May I help?' }), 201);

    expectStatus(await inbox(rep).update(conversationId, { assignees: [] }), 200);
    expect((await inbox(stranger).read(conversationId)).status).toBe(404);
    expect(await inbox(stranger).ids()).not.toContain(conversationId);
    expect((await inbox(stranger).send({ contactId, content: 'Hello?' })).status).toBe(404);
  });

  it('is handed over to a user, or to nobody', async () => {
    const { conversationId } = await newConversation(world);
    const { rep, stranger } = world;
    expectStatus(await inbox(rep).update(conversationId, { userId: stranger.userId }), 200);
    expect((await inbox(stranger).read(conversationId)).body.data.userId).toBe(stranger.userId);
    // Whoever sees the contact sees it all the same.
    expect((await inbox(rep).read(conversationId)).body.data.userId).toBe(stranger.userId);
    expectStatus(await inbox(stranger).update(conversationId, { userId: null }), 200);
    expect((await inbox(stranger).read(conversationId)).status).toBe(404);
    expect((await inbox(rep).read(conversationId)).body.data.userId).toBeNull();
  });

  it('files its contact on the board under its assignees', async () => {
    const { contactId, conversationId } = await newConversation(world);
    const { rep, stranger } = world;
    const desk = deskOf(world.product, rep);
    const boardOf = async ({ userId }: Person) =>
      (await desk.everything({ assignee: [userId] })).map(({ _id }) => _id);
    expectStatus(await inbox(rep).update(conversationId, { assignees: [stranger.userId] }), 200);
    expect(await boardOf(stranger)).toContain(contactId);
    expectStatus(await inbox(rep).update(conversationId, { assignees: [rep.userId] }), 200);
    expect(await boardOf(stranger)).not.toContain(contactId);
    expect(await boardOf(rep)).toContain(contactId);
  });

  it('tells of its changes as `contact_updated` those who see it or saw it: by ids alone, and not in which stage the contact is', async () => {
    const { contactId, conversationId } = await newConversation(world);
    const { rep, stranger } = world;
    expectStatus(await inbox(rep).update(conversationId, { assignees: [stranger.userId] }), 200);
    expect(await lastEvent(contactId)).toMatchObject({
      event: 'contact_updated',
      audience: { kind: 'record', people: [rep.userId, stranger.userId], formerly: [rep.userId] },
    });
    expect((await lastEvent(contactId))?.data).toEqual({ contactId, conversationId });
  });

  it.each([
    [{ isResolved: 'yes' }, 'isResolved must be true or false'],
    [{ isResolved: null }, 'isResolved must be true or false'],
    [{ assignees: 'me' }, 'assignees must be an array'],
    [{ assignees: Array(6).fill('x') }, 'assignees must have at most 5 items'],
    [{ assignees: ['a b'] }, 'assignees[0] must be an identifier'],
    [{ assignees: ['nobody'] }, 'assignees[0] must be the id of a user of this organization'],
    [{ userId: 'nobody' }, 'userId must be the id of a user of this organization'],
    [{ userId: 7 }, 'userId must be a string'],
  ])('cannot be changed by %j: 400 `{success: false, message}`', async (change, message) => {
    const { conversationId } = await newConversation(world);
    const before = (await inbox(world.rep).read(conversationId)).body;
    const { status, body } = await inbox(world.rep).update(conversationId, change);
    expect({ status, body }).toEqual({ status: 400, body: { success: false, message } });
    expect((await inbox(world.rep).read(conversationId)).body).toEqual(before);
  });

  it('cannot be given to a user of another organization', async () => {
    const { conversationId } = await newConversation(world);
    const assignees = [world.rep.userId, world.foreignRep.userId];
    const { status, body } = await inbox(world.rep).update(conversationId, { assignees });
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        success: false,
        message: 'assignees[1] must be the id of a user of this organization',
      },
    });
  });

  it('has five assignees at most, all of whom see it', async () => {
    const { conversationId } = await newConversation(world);
    const { admin, head, rep, stranger, otherHead } = world;
    const five = [admin, head, rep, stranger, otherHead];
    const assignees = five.map(({ userId }) => userId);
    expectStatus(await inbox(rep).update(conversationId, { assignees }), 200);
    for (const person of five) {
      expect((await inbox(person).read(conversationId)).body.data.assignees).toEqual(assignees);
      expect(await inbox(person).ids()).toContain(conversationId);
    }
  });

  it('changed by ten at once loses no change', async () => {
    const { conversationId } = await newConversation(world);
    const { rep, stranger, head } = world;
    const answers = await Promise.all([
      inbox(rep).update(conversationId, { isResolved: true }),
      inbox(rep).update(conversationId, { assignees: [stranger.userId] }),
      inbox(rep).update(conversationId, { userId: head.userId }),
      ...Array.from({ length: 7 }, () => inbox(rep).update(conversationId, { isResolved: true })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await inbox(rep).read(conversationId)).body.data).toMatchObject({
      isResolved: true,
      assignees: [stranger.userId],
      userId: head.userId,
    });
  });
});

describe('A conversation that does not exist, is foreign, or has an odd id', () => {
  it('is 404 `{success: false, message}` to read, to change and to list the messages of', async () => {
    const { conversationId, contactId, messageId } = await newConversation(world);
    const missing = { status: 404, body: { success: false, message: 'Conversation not found' } };
    const asked: [Person, string][] = [
      [world.rep, '01JZZZZZZZZZZZZZZZZZZZZZZZ'],
      [world.rep, `01JZZZZZZZZZZZZZZZZZZZZZZZ${contactId}`],
      [world.rep, contactId],
      [world.rep, messageId],
      [world.rep, 'x'],
      [world.rep, 'a#b'],
      [world.rep, '../x'],
      [world.stranger, conversationId],
      [world.otherHead, conversationId],
      [world.foreigner, conversationId],
      [world.superadmin, conversationId],
    ];
    for (const [person, id] of asked) {
      const own = inbox(person);
      for (const { status, body } of [
        await own.read(id),
        await own.messages(id),
        await own.update(id, { isResolved: true }),
      ]) {
        expect({ status, body }).toEqual(missing);
      }
    }
    expect((await inbox(world.rep).read(conversationId)).body.data.isResolved).toBe(false);
  });
});
