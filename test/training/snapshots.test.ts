import { expect, onTestFinished, test } from 'vitest';
import { shownMessage } from '../../shared/conversations/build-message-response.ts';
import { snapshotBytes } from '../../shared/conversations/snapshot.ts';
import { contactsClient } from '../contacts/client.ts';
import { faultyTable } from '../contacts/faulty-table.ts';
import { writeMessages } from '../contacts/separation.ts';
import { conversationsClient } from '../conversations/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';
import { uploadedFile } from '../notes/uploads-client.ts';
import { newSnapshot } from './snapshots.ts';

const tenants = await setUpTenants();
const { product, head, otherRep, newContact } = tenants;

const create = ({ token }: Person, body: Record<string, unknown>) =>
  product.call('create-training-snapshot', { token, body });
const list = async ({ token }: Person, query: Record<string, string> = {}) =>
  expectStatus(await product.call('list-training-snapshots', { token, query }), 200);
const remove = ({ token }: Person, id: string) =>
  product.call('delete-training-snapshot', { token, path: { id } });
const ids = ({ data }: { data: { _id: string }[] }) => data.map(({ _id }) => _id);

test('A training snapshot has the fields of the contract, with the messages as they are now', async () => {
  const body = await newSnapshot(tenants);
  const messages = await conversationsClient(product, tenants.rep).messages(String(body.conversationId));
  expect(outcome(await create(tenants.rep, { ...body, tags: ['patient', 'patient', 'quick'] }))).toEqual({
    status: 201,
    body: {
      success: true,
      message: 'Snapshot created',
      data: {
        _id: expect.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
        ...body,
        createdBy: tenants.rep.userId,
        tags: ['patient', 'quick'],
        messages: expectStatus(messages, 200).data,
        createdAt: expect.any(String),
      },
    },
  });
});

test('A training snapshot is not changed by what is said later', async () => {
  const body = await newSnapshot(tenants);
  const { contactId } = body;
  const { data } = expectStatus(await create(tenants.rep, body), 201);
  const { token } = tenants.rep;
  expectStatus(await product.call('send-message', { token, body: { contactId, content: 'Later' } }), 201);
  expect((await list(tenants.rep, { contactId: String(contactId) })).data).toEqual([data]);
});

test('A training snapshot keeps the newest messages that fit into 56 KB, oldest first', async () => {
  const body = await newSnapshot(tenants);
  const [contactId, conversationId] = [String(body.contactId), String(body.conversationId)];
  const texts = Array.from({ length: 100 }, (_, index) => ({
    contactId,
    conversationId,
    content: `${index} ${'€'.repeat(500)}`,
    at: new Date(),
  }));
  const written = await writeMessages(product, tenants.admin.organizationId, texts);
  const { data } = expectStatus(await create(tenants.rep, body), 201);
  const count = data.messages.length;
  expect(data.messages).toEqual(written.slice(-count).map(shownMessage));
  const bytes = (kept: number) => Buffer.byteLength(JSON.stringify(written.slice(-kept)));
  expect(bytes(count)).toBeLessThanOrEqual(snapshotBytes);
  expect(bytes(count + 1)).toBeGreaterThan(snapshotBytes);
});

test.each([{ quality: 'fine' }, { tags: Array(51).fill('x') }, { category: 'x'.repeat(201) }])(
  'A training snapshot with %j is 400',
  async (wrong) => {
    const { status, body } = await create(tenants.rep, { ...(await newSnapshot(tenants)), ...wrong });
    expect({ status, keys: Object.keys(body) }).toEqual({ status: 400, keys: ['success', 'message'] });
  },
);

test("A training snapshot of another contact's conversation, or of one that does not exist, is 404", async () => {
  const [one, other] = [await newSnapshot(tenants), await newSnapshot(tenants)];
  for (const conversationId of [other.conversationId, 'nothing', `${'0'.repeat(26)}${one.contactId}`]) {
    expect(outcome(await create(tenants.rep, { ...one, conversationId }))).toEqual(
      failure(404, 'Conversation not found'),
    );
  }
});

test('A training snapshot is deleted by its maker or a head, and by nobody else', async () => {
  const { _id } = expectStatus(await create(tenants.rep, await newSnapshot(tenants)), 201).data;
  expect((await remove(otherRep, _id)).status).toBe(404);
  expect((await remove(head, _id)).body).toEqual({ success: true, message: 'Snapshot deleted' });
  expect((await remove(tenants.rep, _id)).status).toBe(404);
});

test('Training snapshots of a contact that their creator no longer sees are no longer shown to the creator', async () => {
  const admin = await product.newOrganization();
  const rep = await product.newColleague(admin);
  const contacts = contactsClient(product, admin);
  const about = { phoneNumbers: [{ value: '+99912345670' }], assignees: [rep.userId] };
  const { _id: contactId } = await contacts.created(about);
  const sent = await conversationsClient(product, admin).send({ contactId, content: 'Hello' });
  const { conversationId } = expectStatus(sent, 201).data;
  const snapshot = { contactId, conversationId, quality: 'good' };
  const { _id } = expectStatus(await create(rep, snapshot), 201).data;
  expect(ids(await list(rep))).toEqual([_id]);
  expectStatus(await contacts.update(contactId, { assignees: [] }), 200);
  expect(ids(await list(rep))).toEqual([]);
  expect((await remove(rep, _id)).status).toBe(404);
  expect(ids(await list(admin, { contactId }))).toEqual([_id]);
});

test('Training snapshots without a contact are read so that one made a moment ago is among them', async () => {
  const { _id } = expectStatus(await create(tenants.rep, await newSnapshot(tenants)), 201).data;
  const reads = faultyTable();
  onTestFinished(reads.restore);
  expect(ids(await list(tenants.rep))).toContain(_id);
  expect(reads.tries('QueryCommand')).toMatchObject([{ ConsistentRead: true }]);
});

test("Training snapshots without a contact are the caller's own, newest first, page by page", async () => {
  const admin = await product.newOrganization();
  const made: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const phoneNumbers = [{ value: `+99912345678${count}` }];
    const { _id: contactId } = await contactsClient(product, admin).created({ phoneNumbers });
    const sent = await conversationsClient(product, admin).send({ contactId, content: 'Hi' });
    const { conversationId } = expectStatus(sent, 201).data;
    const snapshot = await create(admin, { contactId, conversationId, quality: 'good' });
    made.unshift(expectStatus(snapshot, 201).data._id);
  }
  const first = await list(admin, { limit: '2' });
  expect(ids(first)).toEqual(made.slice(0, 2));
  expect(ids(await list(admin, { cursor: first.nextCursor }))).toEqual(made.slice(2));
  const colleague = await product.newColleague(admin);
  expect(ids(await list(colleague))).toEqual([]);
});

test('A file in a message can be downloaded from its snapshot, and from the separation data', async () => {
  const { product, rep, admin } = tenants;
  const { _id: contactId } = await newContact();
  const file = { name: 'offer.txt', type: 'text/plain', size: 5 };
  const { key } = await uploadedFile(product, rep, 'hello', file);
  const body = { contactId, content: 'The offer', attachments: [{ key, ...file }] };
  const sent = expectStatus(await product.call('send-message', { token: rep.token, body }), 201).data;
  const about = { contactId, conversationId: sent.conversationId, quality: 'good' };
  const snapshot = expectStatus(await create(rep, about), 201).data;
  const listed = (await list(rep, { contactId })).data[0];
  const separation = await product.call('read-separation-data', {
    token: admin.token,
    path: { id: contactId },
  });
  const { trainingSnapshots, conversationMessages } = expectStatus(separation, 200).data;
  const messages = [
    snapshot.messages[0],
    listed.messages[0],
    trainingSnapshots[0].messages[0],
    conversationMessages[sent.conversationId][0],
  ];
  for (const { attachments } of messages) {
    expect(attachments).toEqual([{ ...file, url: expect.stringContaining('X-Amz-Signature') }]);
    expect(await (await fetch(attachments[0].url)).text()).toBe('hello');
  }
});
