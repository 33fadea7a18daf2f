import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectStatus, newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { pipelineDeskOf } from '../pipelines/pipeline-desk.ts';
import { type Line, newLine, newSid } from './phones.ts';

let world: World;
let line: Line;
beforeAll(async () => {
  world = await startWorld();
  line = await newLine(world.product, world.admin, world.rep);
});
afterAll(() => world.product.stop());

const messages = async (id: string) =>
  expectStatus(await world.product.call('list-messages', { token: world.rep.token, path: { id } }), 200).data;

describe('Attachments of a text message', () => {
  const url = 'https://api.twilio.com/2010-04-01/Accounts/AC1/Messages/MM1/Media/ME1';

  it('are stored with name, type, size and URL, as far as the provider tells', async () => {
    const media = { NumMedia: '2', MediaUrl0: url, MediaContentType0: 'image/jpeg', MediaUrl1: `${url}2/` };
    for (const text of [line.text, line.textAsForm]) {
      const from = newPhoneNumber();
      const { _id: contactId } = await world.newContact({ phoneNumbers: [{ value: from }] });
      expect((await text({ From: from, Body: '', ...media })).status).toBe(200);
      const { token } = world.rep;
      const list = await world.product.call('list-conversations', { token, query: { contactId } });
      expect(await messages(list.body.data[0]._id)).toMatchObject([
        {
          content: '',
          attachments: [
            { name: 'ME1', type: 'image/jpeg', size: null, url },
            { name: 'ME12', type: 'application/octet-stream', size: null, url: `${url}2/` },
          ],
        },
      ]);
    }
  });

  it('may be ten, and a number in JSON', async () => {
    const urls = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`MediaUrl${index}`, url]));
    const { data } = expectStatus(
      await line.text({ From: newPhoneNumber(), NumMedia: 10, ...urls, MediaUrl10: 'ignored' }),
      200,
    );
    expect((await messages(data.conversationId))[0].attachments).toHaveLength(10);
  });

  it.each([
    [{ NumMedia: 11 }, 'NumMedia must be a whole number from 0 to 10'],
    [{ NumMedia: '11' }, 'NumMedia must be a whole number from 0 to 10'],
    [{ NumMedia: 'one' }, 'NumMedia must be a whole number from 0 to 10'],
    [{ NumMedia: 1.5 }, 'NumMedia must be a whole number from 0 to 10'],
    [{ NumMedia: -1 }, 'NumMedia must be a whole number from 0 to 10'],
    [{ NumMedia: '1' }, 'MediaUrl0 must be an http or https URL of at most 2000 characters'],
    [
      { NumMedia: '1', MediaUrl0: 'javascript:alert(1)' },
      'MediaUrl0 must be an http or https URL of at most 2000 characters',
    ],
    [
      { NumMedia: 2, MediaUrl0: url, MediaUrl1: 7 },
      'MediaUrl1 must be an http or https URL of at most 2000 characters',
    ],
    [
      { NumMedia: 1, MediaUrl0: url, MediaContentType0: {} },
      'MediaContentType0 must be a string of at most 200 characters',
    ],
  ])('as in %j are refused', async (fields, message) => {
    const { status, body } = await line.text({ From: newPhoneNumber(), ...fields });
    expect({ status, body }).toEqual({ status: 400, body: { success: false, message } });
  });
});

describe('A text message whose provider says null for what there is none of', () => {
  it('is stored as without it', async () => {
    const nothing = { SmsSid: null, Body: null, NumMedia: null };
    const { data } = expectStatus(await line.text({ From: newPhoneNumber(), ...nothing }), 200);
    expect(await messages(data.conversationId)).toMatchObject([{ content: '', attachments: [] }]);
    const media = { NumMedia: 1, MediaUrl0: 'https://media.example.com/1', MediaContentType0: null };
    const sent = expectStatus(await line.text({ From: newPhoneNumber(), Body: null, ...media }), 200).data;
    const type = 'application/octet-stream';
    expect(await messages(sent.conversationId)).toMatchObject([{ attachments: [{ type }] }]);
  });

  it.each([[''], [null]])('has its id in `SmsSid` beside %j as MessageSid', async (MessageSid) => {
    const SmsSid = newSid();
    const telling = { From: newPhoneNumber(), MessageSid, SmsSid };
    const { data } = expectStatus(await line.text(telling), 200);
    expect(await messages(data.conversationId)).toMatchObject([{ providerMessageId: SmsSid }]);
    expect(expectStatus(await line.text(telling), 200).data).toEqual({ ...data, duplicate: true });
  });
});

describe('A text message that cannot be taken', () => {
  it.each([
    ['no MessageSid', { MessageSid: undefined }, 'MessageSid is required'],
    ['an empty MessageSid', { MessageSid: '' }, 'MessageSid is required'],
    ['nothing but null and space as ids', { MessageSid: null, SmsSid: ' ' }, 'MessageSid is required'],
    ['a long MessageSid', { MessageSid: 'x'.repeat(201) }, 'MessageSid must have at most 200 characters'],
    ['no sender', { From: undefined }, 'From is required'],
    ['an alphanumeric sender', { From: 'PIZZERIA' }, 'From must be an E.164 phone number, like +15551234567'],
    ['a short code', { From: '72404' }, 'From must be an E.164 phone number, like +15551234567'],
    [
      'another channel',
      { From: 'whatsapp:+15550100' },
      'From must be an E.164 phone number, like +15551234567',
    ],
    ['no recipient', { To: undefined }, 'To is required'],
    ['a number as Body', { Body: 7 }, 'Body must be a string'],
    ['1,601 characters', { Body: '👋'.repeat(1_601) }, 'Body must have at most 1600 characters'],
  ])('as with %s is 400 `{success: false, message}`', async (_, fields, message) => {
    const { status, body } = await line.text({ From: newPhoneNumber(), ...fields });
    expect({ status, body }).toEqual({ status: 400, body: { success: false, message } });
  });

  it('is not the longest there is: 1,600 characters', async () => {
    const { data } = expectStatus(await line.text({ From: newPhoneNumber(), Body: '👋'.repeat(1_600) }), 200);
    expect((await messages(data.conversationId))[0].content).toBe('👋'.repeat(1_600));
  });

  it('is one of an unknown sender while there is no Contact pipeline at all: 404', async () => {
    const { product } = world;
    const admin = await product.newOrganization();
    const alone = await newLine(product, admin, admin);
    const pipelines = pipelineDeskOf(product, admin);
    for (const { _id } of await pipelines.list('Contact')) {
      expectStatus(await pipelines.remove(_id), 200);
    }
    const { status, body } = await alone.text({ From: newPhoneNumber() });
    expect({ status, body }).toEqual({
      status: 404,
      body: {
        success: false,
        message: 'There is no Contact pipeline for a new contact to enter. Create one.',
      },
    });
  });
});
