import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectStatus, newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { type Line, newLine } from './phones.ts';

let world: World;
let line: Line;
beforeAll(async () => {
  world = await startWorld();
  line = await newLine(world.product, world.admin, world.rep);
});
afterAll(() => world.product.stop());

const outWords = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'];
const inWords = ['START', 'UNSTOP', 'YES'];

/** A contact by what it writes, and whether it can be written to. */
async function newWriter() {
  const from = newPhoneNumber();
  const { _id: contactId } = await world.newContact({ phoneNumbers: [{ value: from }] });
  return {
    writes: async (Body: string) => expectStatus(await line.text({ From: from, Body }), 200).data,
    async answer() {
      const body = { contactId, content: 'Hello' };
      return world.product.call('send-message', { token: world.rep.token, body });
    },
  };
}

describe('A whole message of', () => {
  it.each(outWords)('%s opts the contact out: to it nothing can be sent, 409', async (word) => {
    const writer = await newWriter();
    await writer.writes(word);
    const { status, body } = await writer.answer();
    expect({ status, body }).toEqual({
      status: 409,
      body: {
        success: false,
        message: 'The contact has opted out of text messages. To opt in again, the contact must send START.',
      },
    });
  });

  it.each(inWords)('%s opts the contact back in', async (word) => {
    const writer = await newWriter();
    await writer.writes('STOP');
    expect((await writer.answer()).status).toBe(409);
    await writer.writes(word);
    expect((await writer.answer()).status).toBe(201);
  });

  it.each(['stop', 'Stop', ' STOP\r\n', '\u00a0sToPaLl\t'])(
    '%j is understood whatever its case and the blanks around it',
    async (content) => {
      const writer = await newWriter();
      await writer.writes(content);
      expect((await writer.answer()).status).toBe(409);
    },
  );

  it.each(['Please stop', 'STOP!', 'STOP.', 'END OF STORY', 'S T O P', 'ENDE', 'CANCEL my order', '', ' '])(
    '%j opts nobody out',
    async (content) => {
      const writer = await newWriter();
      await writer.writes(content);
      expect((await writer.answer()).status).toBe(201);
    },
  );

  it.each(['yes please', 'START!', 'UNSTOPPABLE'])('%j opts nobody in', async (content) => {
    const writer = await newWriter();
    await writer.writes('STOP');
    await writer.writes(content);
    expect((await writer.answer()).status).toBe(409);
  });

  it('STOP is stored like any other', async () => {
    const writer = await newWriter();
    const { conversationId } = await writer.writes('STOP');
    const { token } = world.rep;
    const list = await world.product.call('list-messages', { token, path: { id: conversationId } });
    expect(list.body.data).toMatchObject([{ content: 'STOP', direction: 'inbound', status: 'received' }]);
  });

  it('STOP of an unknown number makes a contact that is opted out', async () => {
    const { data } = expectStatus(await line.text({ From: newPhoneNumber(), Body: 'STOP' }), 200);
    const body = { contactId: data.contactId, content: 'Sorry' };
    expect((await world.product.call('send-message', { token: world.rep.token, body })).status).toBe(409);
  });

  it('STOP in a form counts too', async () => {
    const from = newPhoneNumber();
    const { _id: contactId } = await world.newContact({ phoneNumbers: [{ value: from }] });
    await line.textAsForm({ From: from, Body: 'Stop' });
    const body = { contactId, content: 'Sorry' };
    expect((await world.product.call('send-message', { token: world.rep.token, body })).status).toBe(409);
  });

  it('STOP outlasts edits and moves of the contact', async () => {
    const { data } = expectStatus(await line.text({ From: newPhoneNumber(), Body: 'STOP' }), 200);
    const { token } = world.rep;
    const path = { id: data.contactId };
    await world.product.call('update-contact', { token, path, body: { firstName: 'Ada' } });
    await world.product.call('move-contact', { token, path, body: { stage: 'Won' } });
    const body = { contactId: data.contactId, content: 'Sorry' };
    expect((await world.product.call('send-message', { token, body })).status).toBe(409);
  });

  it('STOP is not shown on the contact, whose fields are what they were', async () => {
    const { data } = expectStatus(await line.text({ From: newPhoneNumber(), Body: 'STOP' }), 200);
    const { token } = world.rep;
    const contact = await world.product.call('read-contact', { token, path: { id: data.contactId } });
    expect(contact.body.data).not.toHaveProperty('optedOutAt');
  });
});
