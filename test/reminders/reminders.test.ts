import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../harness/product.ts';
import { expectStatus, startWorld, type World } from '../harness/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.stop());

const create = ({ token }: Person, body: Record<string, unknown>) =>
  world.product.call('create-reminder', { token, body });
const remind = async (person: Person, contactId: string, remindAt = '2027-01-15T09:00:00Z') =>
  expectStatus(await create(person, { contactId, note: 'Call back', remindAt }), 201).data;
const list = async ({ token }: Person, query: Record<string, string> = {}) =>
  expectStatus(await world.product.call('list-reminders', { token, query }), 200);
const remove = ({ token }: Person, id: string) =>
  world.product.call('delete-reminder', { token, path: { id } });
const ids = ({ data }: { data: { _id: string }[] }) => data.map(({ _id }) => _id);

describe('A reminder', () => {
  it('has the fields of the contract, and has not fired', async () => {
    const { _id: contactId } = await world.newContact();
    const answer = await create(world.rep, {
      contactId,
      note: ' Call back ',
      remindAt: '2027-01-15T09:00+01:00',
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      success: true,
      message: 'Reminder created',
      data: {
        _id: expect.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
        contactId,
        createdBy: world.rep.userId,
        note: 'Call back',
        remindAt: '2027-01-15T08:00:00.000Z',
        fired: false,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    });
  });

  it.each(['tomorrow', '2027-02-30', '2027-01-15T25:00:00Z', 1_800_000_000, null])(
    'cannot be for the time %j',
    async (remindAt) => {
      const { _id: contactId } = await world.newContact();
      const { status, body } = await create(world.rep, { contactId, note: 'Call back', remindAt });
      expect({ status, body }).toEqual({
        status: 400,
        body: { success: false, message: 'remindAt must be an ISO 8601 date or date-time' },
      });
    },
  );

  it.each(['n', '😀'])(
    'has a note of at most 20,000 characters, as notes on contacts: %s',
    async (character) => {
      const { _id: contactId } = await world.newContact();
      const about = { contactId, remindAt: '2027-01-15' };
      const longest = character.repeat(20_000);
      const made = expectStatus(await create(world.rep, { ...about, note: longest }), 201).data;
      expect(made.note).toBe(longest);
      const { status, body } = await create(world.rep, { ...about, note: `${longest}n` });
      expect({ status, body }).toEqual({
        status: 400,
        body: { success: false, message: 'note must have at most 20000 characters' },
      });
    },
  );

  it("needs a contact that the caller sees: another's reads as missing", async () => {
    const { _id: contactId } = await world.newContact();
    const body = { contactId, note: 'Call back', remindAt: '2027-01-15' };
    for (const person of [world.stranger, world.foreigner]) {
      const answer = await create(person, body);
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 404,
        body: { success: false, message: 'Contact not found' },
      });
    }
  });

  it('is deleted by its maker or a head, and by no other colleague', async () => {
    const { _id: contactId } = await world.newContact({ assignees: [world.stranger.userId] });
    const [first, second] = [await remind(world.rep, contactId), await remind(world.rep, contactId)];
    expect((await remove(world.stranger, first._id)).body).toEqual({
      success: false,
      message: 'Only its creator or a DEPARTMENT_HEAD may do this.',
    });
    expect((await remove(world.rep, first._id)).body).toEqual({ success: true, message: 'Reminder deleted' });
    expect((await remove(world.head, second._id)).status).toBe(200);
    expect((await remove(world.rep, first._id)).status).toBe(404);
    expect(ids(await list(world.rep, { contactId }))).toEqual([]);
  });
});

it("A reminder of a contact that was given away is still its maker's to delete", async () => {
  const { _id: contactId } = await world.product
    .call('create-contact', {
      token: world.admin.token,
      body: { firstName: 'Given', owner: world.rep.userId },
    })
    .then((answer) => expectStatus(answer, 201).data);
  const { _id } = await remind(world.rep, contactId);
  const given = await world.product.call('update-contact', {
    token: world.admin.token,
    path: { id: contactId },
    body: { owner: world.stranger.userId },
  });
  expectStatus(given, 200);
  expect(ids(await list(world.rep))).toContain(_id);
  expect((await remove(world.otherHead, _id)).status).toBe(404);
  expect((await remove(world.rep, _id)).status).toBe(200);
  expect(ids(await list(world.rep))).not.toContain(_id);
});

it.each([
  ['9999-12-31T23:59:59-14:00', '9999-12-31T23:59:59.999Z'],
  ['0000-01-01T00:00:00+14:00', '0000-01-01T00:00:00.000Z'],
])('A reminder for %s, beyond the years that sort as text, is for %s', async (remindAt, expected) => {
  const { _id: contactId } = await world.newContact();
  expect((await remind(world.rep, contactId, remindAt)).remindAt).toBe(expected);
});

describe('Reminders', () => {
  it("of a contact come newest first; a user's own by the time they are for, page by page", async () => {
    const rep = await world.product.newColleague(world.admin);
    const create = async (more = {}) => {
      const { token } = rep;
      const answer = await world.product.call('create-contact', { token, body: { firstName: 'A', ...more } });
      return expectStatus(answer, 201).data._id;
    };
    const [one, other] = [await create(), await create()];
    const late = await remind(rep, one, '2027-03-01');
    const early = await remind(rep, one, '2027-01-01');
    const middle = await remind(rep, other, '2027-02-01');
    expect(ids(await list(rep, { contactId: one }))).toEqual([early._id, late._id]);
    const first = await list(rep, { limit: '2' });
    expect(ids(first)).toEqual([early._id, middle._id]);
    const second = await list(rep, { limit: '2', cursor: first.nextCursor });
    expect(ids(second)).toEqual([late._id]);
    expect(second.nextCursor).toBeNull();
  });

  it('of somebody else are in no list', async () => {
    const { _id: contactId } = await world.newContact();
    await remind(world.rep, contactId);
    expect(ids(await list(world.stranger))).toEqual([]);
    const { status } = await world.product.call('list-reminders', {
      token: world.stranger.token,
      query: { contactId },
    });
    expect(status).toBe(404);
  });
});
