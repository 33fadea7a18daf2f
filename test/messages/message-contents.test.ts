import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inboxOf } from '../conversations/conversations.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { uploadedFile } from '../notes/upload-desk.ts';
import { outgoingOf } from './outgoing.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.stop());

const inbox = () => inboxOf(world.product, world.rep);

/** What the provider was given for a message. */
async function sent(messageId: string) {
  await (await outgoingOf(world.product)).tellAll(world.admin);
  return world.product.sentMessages.filter(({ id }) => id === messageId);
}

describe('A message by template', () => {
  const newTemplate = async (template: string, person: Person = world.rep, more = {}) =>
    expectStatus(
      await world.product.call('create-template', {
        token: person.token,
        body: { name: 'Greeting', template, type: 'sms', ...more },
      }),
      201,
    ).data._id;

  it('has the data of the contact in place of the placeholders', async () => {
    const number = newPhoneNumber();
    const { _id: contactId } = await world.newContact({
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.com',
      phoneNumbers: [{ value: number }],
      customFields: { city: 'London', boxes: 40 },
    });
    const templateId = await newTemplate(
      '{{firstName}}|{{lastName}}|{{fullName}}|{{contactName}}|{{email}}|{{phone}}|{{city}}|{{ boxes }}|{{unknown}}.',
    );
    const { data } = expectStatus(await inbox().send({ contactId, templateId }), 201);
    expect(data.content).toBe(`Ada|Lovelace|Ada Lovelace|Ada Lovelace|ada@example.com|${number}|London|40|.`);
  });

  it('may be one of the organization, or an own one; any other is 404', async () => {
    const { _id: contactId } = await world.newContact();
    const shared = await newTemplate('Hi', world.admin, { isShared: true });
    const own = await newTemplate('Hi');
    expect((await inbox().send({ contactId, templateId: shared })).status).toBe(201);
    expect((await inbox().send({ contactId, templateId: own })).status).toBe(201);
    for (const templateId of [
      await newTemplate('Hi', world.admin),
      await newTemplate('Hi', world.foreigner, { isShared: true }),
      '01JZZZZZZZZZZZZZZZZZZZZZZZ',
    ]) {
      const { status, body } = await inbox().send({ contactId, templateId });
      expect({ status, body }).toEqual({
        status: 404,
        body: { success: false, message: 'Template not found' },
      });
    }
  });

  it('is filled for whoever sees the contact: 404 for who was given the conversation alone', async () => {
    const { product, admin, stranger, newContact } = world;
    const { _id: contactId } = await newContact({ email: 'ada@example.com' });
    const { data } = expectStatus(await inbox().send({ contactId, content: 'Hello' }), 201);
    const { conversationId } = data;
    expectStatus(await inboxOf(product, admin).update(conversationId, { assignees: [stranger.userId] }), 200);
    const templateId = await newTemplate('{{email}}', stranger);
    const assignee = inboxOf(product, stranger);
    const { status, body } = await assignee.send({ contactId, templateId });
    expect({ status, body }).toEqual({
      status: 404,
      body: { success: false, message: 'Contact not found' },
    });
    expect((await assignee.messages(conversationId)).body.data).toHaveLength(1);
    expectStatus(await assignee.send({ contactId, content: 'Hello' }), 201);
  });

  it('has 1,600 characters at most once it is filled', async () => {
    const { _id: contactId } = await world.newContact({ firstName: '👋'.repeat(200) });
    const eight = '{{firstName}}'.repeat(8);
    const fits = await newTemplate(eight);
    expect((await inbox().send({ contactId, templateId: fits })).body.data.content).toBe('👋'.repeat(1_600));
    const { status, body } = await inbox().send({ contactId, templateId: await newTemplate(`${eight}!`) });
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        success: false,
        message:
          'templateId must be the id of a template with at most 1600 characters once its placeholders are filled',
      },
    });
  });

  it('that leaves no text is 400', async () => {
    const { _id: contactId } = await world.newContact();
    const { status, body } = await inbox().send({ contactId, templateId: await newTemplate('{{city}} ') });
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        success: false,
        message: 'templateId must be the id of a template that is not empty once its placeholders are filled',
      },
    });
  });
});

describe('Attachments of a message', () => {
  it('are uploaded files: answered with a URL that downloads them, and sent as one', async () => {
    const { product, rep } = world;
    const { _id: contactId } = await world.newContact();
    const { key, name } = await uploadedFile(product, rep, '%PDF-', { name: 'Angebot für Sie.pdf' });
    const { data } = expectStatus(await inbox().send({ contactId, attachments: [{ key, name }] }), 201);
    expect(data.content).toBe('');
    expect(data.attachments).toEqual([
      { name: 'Angebot für Sie.pdf', type: 'application/pdf', size: 5, url: expect.any(String) },
    ]);
    const [listed] = (await inbox().messages(data.conversationId)).body.data;
    const [{ mediaUrls } = { mediaUrls: [] }] = await sent(data._id);
    for (const url of [data.attachments[0].url, listed.attachments[0].url, mediaUrls[0]]) {
      const response = await fetch(url);
      expect(await response.text()).toBe('%PDF-');
      expect(response.headers.get('content-type')).toBe('application/pdf');
      expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
    }
  });

  it('can be fetched by the provider for as long as the message may wait to be sent: a day', async () => {
    const { product, rep } = world;
    const { _id: contactId } = await world.newContact();
    const { key, name } = await uploadedFile(product, rep, '%PDF-');
    const nearlyADayAgo = new Date(Date.now() - 23.9 * 3_600_000);
    const answer = await inbox().send({ contactId, attachments: [{ key, name }] }, nearlyADayAgo);
    const { data } = expectStatus(answer, 201);
    const [message] = await sent(data._id);
    const response = await fetch(message?.mediaUrls[0] ?? '');
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 200, text: '%PDF-' });
    // What the user was answered is over since.
    expect((await fetch(data.attachments[0].url)).status).toBe(403);
  });

  it('have the size and type of the upload, whatever the client says', async () => {
    const { product, rep } = world;
    const { _id: contactId } = await world.newContact();
    const { key, name } = await uploadedFile(product, rep, '12345');
    const attachments = [{ key, name, size: 1, type: 'text/html' }];
    const { data } = expectStatus(await inbox().send({ contactId, content: 'See', attachments }), 201);
    expect(data.attachments[0]).toMatchObject({ size: 5, type: 'application/pdf' });
  });

  it('of another organization, or never uploaded, are 404 and nothing is sent', async () => {
    const { product, foreignRep } = world;
    const { _id: contactId } = await world.newContact();
    const foreign = await uploadedFile(product, foreignRep, '12345');
    for (const key of [foreign.key, foreign.key.replace('.pdf', '.doc'), 'x', '../x']) {
      const { status, body } = await inbox().send({ contactId, attachments: [{ key, name: 'x.pdf' }] });
      expect({ status, body }).toEqual({
        status: 404,
        body: {
          success: false,
          message: 'attachments[0].key is not the key of a file uploaded in this organization',
        },
      });
    }
    expect(await inbox().ids({ contactId })).toEqual([]);
  });

  it('are ten at most', async () => {
    const { product, rep } = world;
    const { _id: contactId } = await world.newContact();
    const { key, name } = await uploadedFile(product, rep, '12345');
    const send = (count: number) =>
      inbox().send({ contactId, attachments: Array(count).fill({ key, name }) });
    expect((await send(10)).body.data.attachments).toHaveLength(10);
    const { status, body } = await send(11);
    expect({ status, body }).toEqual({
      status: 400,
      body: { success: false, message: 'attachments must have at most 10 items' },
    });
  });
});
