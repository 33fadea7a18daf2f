import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../harness/product.ts';
import { startWorld, type World } from '../harness/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.stop());

/** Source: decisions 10, "Notification preferences": all true at first. */
const atFirst = {
  mentions: true,
  reminders: true,
  messages: true,
  assignments: true,
  calls: true,
  campaigns: true,
  automationTriggers: true,
  escalations: true,
  emailSync: true,
  aiResponses: true,
  other: true,
};

const newColleague = () => world.product.newColleague(world.admin);
const read = ({ token }: Person) => world.product.call('read-notification-preferences', { token });
const update = ({ token }: Person, body: unknown) =>
  world.product.call('update-notification-preferences', { token, body });

describe('Notification preferences', () => {
  it('are eleven booleans, all true at first', async () => {
    const { status, body } = await read(await newColleague());
    expect({ status, body }).toEqual({ status: 200, body: { success: true, data: atFirst } });
    expect(Object.keys(body.data)).toEqual(Object.keys(atFirst));
  });

  it('are changed in part: missing keys stay; the answer is {success, message, data} with all of them', async () => {
    const user = await newColleague();
    const { status, body } = await update(user, { mentions: false, other: false });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        message: 'Notification preferences updated',
        data: { ...atFirst, mentions: false, other: false },
      },
    });
    const second = await update(user, { mentions: true, calls: false });
    expect(second.body.data).toEqual({ ...atFirst, calls: false, other: false });
    expect((await read(user)).body.data).toEqual(second.body.data);
    expect((await update(user, {})).body.data).toEqual(second.body.data);
  });

  it.each(Object.keys(atFirst))('can refuse %s, and take it back', async (kind) => {
    const user = await newColleague();
    expect((await update(user, { [kind]: false })).body.data).toEqual({ ...atFirst, [kind]: false });
    expect((await update(user, { [kind]: true })).body.data).toEqual(atFirst);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ mentions: 'false' }, 'mentions must be true or false'],
    [{ mentions: 0 }, 'mentions must be true or false'],
    [{ calls: null }, 'calls must be true or false'],
    [{ other: {} }, 'other must be true or false'],
    [{ mentions: false, sms: true }, 'body must not have properties other than those described'],
    [{ _id: 'x' }, 'body must not have properties other than those described'],
    [{ Mentions: false }, 'body must not have properties other than those described'],
  ])('cannot be %j: 400, and nothing changes', async (body, message) => {
    const user = await newColleague();
    const answer = await update(user, body);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 400,
      body: { success: false, message },
    });
    expect((await read(user)).body.data).toEqual(atFirst);
  });

  it("are each user's own", async () => {
    const [one, other] = await Promise.all([newColleague(), newColleague()]);
    await update(one, { campaigns: false });
    expect((await read(other)).body.data).toEqual(atFirst);
    expect((await read(world.admin)).body.data).toEqual(atFirst);
  });

  it('changed one by one at the same time all hold', async () => {
    const user = await newColleague();
    const kinds = Object.keys(atFirst);
    await Promise.all(kinds.map((kind) => update(user, { [kind]: false })));
    const all = Object.fromEntries(kinds.map((kind) => [kind, false]));
    expect((await read(user)).body.data).toEqual(all);
  });

  it('take one request to the table', async () => {
    const user = await newColleague();
    expect((await update(user, { calls: false })).consumed).toMatchObject({ requests: 1, writeUnits: 1 });
    expect((await read(user)).consumed).toMatchObject({ requests: 1 });
  });
});
