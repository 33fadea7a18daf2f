import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectStatus, newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { emptyResponse, type Line, newLine, newSid } from './phones.ts';

let world: World;
let line: Line;
beforeAll(async () => {
  world = await startWorld();
  line = await newLine(world.product, world.admin, world.rep);
});
afterAll(() => world.product.stop());

const conversation = async (id: string) =>
  expectStatus(await world.product.call('read-conversation', { token: world.rep.token, path: { id } }), 200)
    .data;

describe('A text message told of again', () => {
  it('is stored once: 200 with the same ids, and `duplicate` true', async () => {
    const fields = { MessageSid: newSid(), From: newPhoneNumber() };
    const first = expectStatus(await line.text(fields), 200);
    const again = expectStatus(await line.text({ ...fields, Body: 'Something else' }), 200);
    expect(again).toEqual({
      success: true,
      message: 'The message was already received',
      data: { ...first.data, duplicate: true },
    });
    expect(await conversation(first.data.conversationId)).toMatchObject({
      messageCount: 1,
      lastMessage: 'Hello',
    });
  });

  it('is known by `SmsSid` where there is no `MessageSid`', async () => {
    const sid = newSid();
    const from = newPhoneNumber();
    const first = expectStatus(await line.text({ MessageSid: undefined, SmsSid: sid, From: from }), 200);
    const again = expectStatus(await line.text({ MessageSid: sid, From: from }), 200);
    expect(again.data).toEqual({ ...first.data, duplicate: true });
  });

  it('is the same whichever path and form it comes by', async () => {
    const fields = { MessageSid: newSid(), From: newPhoneNumber() };
    const first = expectStatus(await line.text(fields, { provider: 'twilio' }), 200);
    expect((await line.textAsForm(fields)).body).toBe(emptyResponse);
    expect((await conversation(first.data.conversationId)).messageCount).toBe(1);
  });

  it('stays known after its contact was deleted', async () => {
    const fields = { MessageSid: newSid(), From: newPhoneNumber() };
    const first = expectStatus(await line.text(fields), 200);
    await world.product.call('delete-contact', {
      token: world.rep.token,
      path: { id: first.data.contactId },
    });
    expect((await line.text(fields)).body.data).toEqual({ ...first.data, duplicate: true });
  });

  it('is another message in another organization, or of another provider', async () => {
    const other = await newLine(world.product, world.admin, world.rep, { provider: 'another' });
    const foreign = await newLine(world.product, world.foreigner, world.foreignRep);
    const fields = { MessageSid: newSid(), From: newPhoneNumber() };
    for (const one of [line, other, foreign]) {
      expect((await one.text(fields)).body.data.duplicate).toBe(false);
    }
  });
});
