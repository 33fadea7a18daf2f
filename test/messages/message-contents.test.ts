import { expect, test, vi } from 'vitest';
import { conversationsClient } from '../conversations/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { uploadedFile } from '../notes/uploads-client.ts';
import { prepareOutgoing } from './outgoing.ts';
import { newWebhookClient } from './webhook-client.ts';

const { product, admin, rep, otherRep, foreignAdmin, foreignRep, newContact } = await setUpTenants();

const conversations = conversationsClient(product, rep);

/** What the provider was given for a message. */
async function sent(messageId: string) {
  await (await prepareOutgoing(product)).tellAll(admin);
  return product.sentMessages.filter(({ id }) => id === messageId);
}

const newTemplate = async (template: string, person: Person = rep, more = {}) =>
  expectStatus(
    await product.call('create-template', {
      token: person.token,
      body: { name: 'Greeting', template, type: 'sms', ...more },
    }),
    201,
  ).data._id;

test('A message by template has the data of the contact in place of the placeholders', async () => {
  const number = newPhoneNumber();
  const { _id: contactId } = await newContact({
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@example.com',
    phoneNumbers: [{ value: number }],
    customFields: { city: 'London', boxes: 40 },
  });
  const templateId = await newTemplate(
    '{{firstName}}|{{lastName}}|{{fullName}}|{{contactName}}|{{email}}|{{phone}}|{{city}}|{{ boxes }}|{{unknown}}.',
  );
  const { data } = expectStatus(await conversations.send({ contactId, templateId }), 201);
  expect(data.content).toBe(`Ada|Lovelace|Ada Lovelace|Ada Lovelace|ada@example.com|${number}|London|40|.`);
});

test('A message by template never has the name that the service gave to the contact', async () => {
  const webhook = await newWebhookClient(product, admin, rep);
  const { contactId } = expectStatus(await webhook.text({ From: newPhoneNumber() }), 200).data;
  const templateId = await newTemplate('Hi {{firstName|there}}, {{fullName}}{{contactName}}!');
  const { data } = expectStatus(await conversations.send({ contactId, templateId }), 201);
  expect(data.content).toBe('Hi there, !');
});

test('A message by template may be one of the organization, or an own one; any other is 404', async () => {
  const { _id: contactId } = await newContact();
  const shared = await newTemplate('Hi', admin, { isShared: true });
  const own = await newTemplate('Hi');
  expect((await conversations.send({ contactId, templateId: shared })).status).toBe(201);
  expect((await conversations.send({ contactId, templateId: own })).status).toBe(201);
  for (const templateId of [
    await newTemplate('Hi', admin),
    await newTemplate('Hi', foreignAdmin, { isShared: true }),
    '01JZZZZZZZZZZZZZZZZZZZZZZZ',
  ]) {
    expect(outcome(await conversations.send({ contactId, templateId }))).toEqual(
      failure(404, 'Template not found'),
    );
  }
});

test('A message by template is filled for whoever sees the contact: 404 for who was given the conversation alone', async () => {
  const { _id: contactId } = await newContact({ email: 'ada@example.com' });
  const { data } = expectStatus(await conversations.send({ contactId, content: 'Hello' }), 201);
  const { conversationId } = data;
  expectStatus(
    await conversationsClient(product, admin).update(conversationId, { assignees: [otherRep.userId] }),
    200,
  );
  const templateId = await newTemplate('{{email}}', otherRep);
  const assignee = conversationsClient(product, otherRep);
  expect(outcome(await assignee.send({ contactId, templateId }))).toEqual(failure(404, 'Contact not found'));
  expect((await assignee.messages(conversationId)).body.data).toHaveLength(1);
  expectStatus(await assignee.send({ contactId, content: 'Hello' }), 201);
});

test('A message by template has 1,600 characters at most once it is filled', async () => {
  const { _id: contactId } = await newContact({ firstName: '👋'.repeat(200) });
  const eight = '{{firstName}}'.repeat(8);
  const fits = await newTemplate(eight);
  expect((await conversations.send({ contactId, templateId: fits })).body.data.content).toBe(
    '👋'.repeat(1_600),
  );
  expect(
    outcome(await conversations.send({ contactId, templateId: await newTemplate(`${eight}!`) })),
  ).toEqual(
    failure(
      400,
      'templateId must be the id of a template with at most 1600 characters once its placeholders are filled',
    ),
  );
});

test('A template that would become many megabytes is refused before it is filled', async () => {
  const list = Array.from({ length: 4_000 }, (_, n) => n % 10);
  const { _id: contactId } = await newContact({ customFields: { list } });
  const templateId = await newTemplate('{{list}}'.repeat(1_250));
  const join = vi.spyOn(Array.prototype, 'join');
  const sent = await conversations.send({ contactId, templateId });
  const lists = join.mock.contexts.filter((one) => (one as unknown[]).length === list.length);
  join.mockRestore();
  expect(outcome(sent)).toEqual(
    failure(
      400,
      'templateId must be the id of a template with at most 1600 characters once its placeholders are filled',
    ),
  );
  expect(lists).toHaveLength(1);
});

test('A message by template that leaves no text is 400', async () => {
  const { _id: contactId } = await newContact();
  expect(
    outcome(await conversations.send({ contactId, templateId: await newTemplate('{{city}} ') })),
  ).toEqual(
    failure(
      400,
      'templateId must be the id of a template that is not empty once its placeholders are filled',
    ),
  );
});

test('Attachments of a message are uploaded files: returned with a URL that downloads them, and sent as one', async () => {
  const { _id: contactId } = await newContact();
  const { key, name } = await uploadedFile(product, rep, '%PDF-', { name: 'Angebot für Sie.pdf' });
  const { data } = expectStatus(await conversations.send({ contactId, attachments: [{ key, name }] }), 201);
  expect(data.content).toBe('');
  expect(data.attachments).toEqual([
    { name: 'Angebot für Sie.pdf', type: 'application/pdf', size: 5, url: expect.any(String) },
  ]);
  const [listed] = (await conversations.messages(data.conversationId)).body.data;
  const [{ mediaUrls } = { mediaUrls: [] }] = await sent(data._id);
  for (const url of [data.attachments[0].url, listed.attachments[0].url, mediaUrls[0]]) {
    const response = await fetch(url);
    expect(await response.text()).toBe('%PDF-');
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
  }
});

test('Attachments of a message can be fetched by the provider for an hour after it was sent, however long it waited', async () => {
  const { _id: contactId } = await newContact();
  const { key, name } = await uploadedFile(product, rep, '%PDF-');
  const nearlyADayAgo = new Date(Date.now() - 23.9 * 3_600_000);
  const response = await conversations.send({ contactId, attachments: [{ key, name }] }, nearlyADayAgo);
  const { data } = expectStatus(response, 201);
  const [message] = await sent(data._id);
  const url = new URL(message?.mediaUrls[0] ?? '');
  expect(url.searchParams.get('X-Amz-Expires')).toBe('3600');
  const file = await fetch(url);
  expect({ status: file.status, text: await file.text() }).toEqual({ status: 200, text: '%PDF-' });
  // What the user was answered is over since.
  expect((await fetch(data.attachments[0].url)).status).toBe(403);
});

test('Attachments of a message have the size and type of the upload, whatever the client says', async () => {
  const { _id: contactId } = await newContact();
  const { key, name } = await uploadedFile(product, rep, '12345');
  const attachments = [{ key, name, size: 1, type: 'text/html' }];
  const { data } = expectStatus(await conversations.send({ contactId, content: 'See', attachments }), 201);
  expect(data.attachments[0]).toMatchObject({ size: 5, type: 'application/pdf' });
});

test('Attachments of a message of another organization, or never uploaded, are 404 and nothing is sent', async () => {
  const { _id: contactId } = await newContact();
  const foreign = await uploadedFile(product, foreignRep, '12345');
  for (const key of [foreign.key, foreign.key.replace('.pdf', '.doc'), 'x', '../x']) {
    expect(outcome(await conversations.send({ contactId, attachments: [{ key, name: 'x.pdf' }] }))).toEqual(
      failure(404, 'attachments[0].key is not the key of a file uploaded in this organization'),
    );
  }
  expect(await conversations.ids({ contactId })).toEqual([]);
});

test('Attachments of a message are ten at most', async () => {
  const { _id: contactId } = await newContact();
  const { key, name } = await uploadedFile(product, rep, '12345');
  const send = (count: number) =>
    conversations.send({ contactId, attachments: Array(count).fill({ key, name }) });
  expect((await send(10)).body.data.attachments).toHaveLength(10);
  expect(outcome(await send(11))).toEqual(failure(400, 'attachments must have at most 10 items'));
});
