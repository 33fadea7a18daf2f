import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { snapshotBytes } from '../../shared/training/snapshot.ts';
import { faultyTable } from '../contacts/faulty-table.ts';
import { writeMessages } from '../contacts/separation.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, startWorld, type World } from '../harness/world.ts';
import { newSnapshot } from './snapshots.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.stop());

const create = ({ token }: Person, body: Record<string, unknown>) =>
  world.product.call('create-training-snapshot', { token, body });
const list = async ({ token }: Person, query: Record<string, string> = {}) =>
  expectStatus(await world.product.call('list-training-snapshots', { token, query }), 200);
const remove = ({ token }: Person, id: string) =>
  world.product.call('delete-training-snapshot', { token, path: { id } });
const ids = ({ data }: { data: { _id: string }[] }) => data.map(({ _id }) => _id);

describe('A training snapshot', () => {
  it('has the fields of the contract, with the messages as they are now', async () => {
    const body = await newSnapshot(world);
    const messages = await world.product.call('list-messages', {
      token: world.rep.token,
      path: { id: String(body.conversationId) },
    });
    const answer = await create(world.rep, { ...body, tags: ['patient', 'patient', 'quick'] });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      success: true,
      message: 'Snapshot created',
      data: {
        _id: expect.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
        ...body,
        createdBy: world.rep.userId,
        tags: ['patient', 'quick'],
        messages: expectStatus(messages, 200).data,
        createdAt: expect.any(String),
      },
    });
  });

  it('is not changed by what is said later', async () => {
    const body = await newSnapshot(world);
    const { contactId } = body;
    const { data } = expectStatus(await create(world.rep, body), 201);
    const { token } = world.rep;
    expectStatus(
      await world.product.call('send-message', { token, body: { contactId, content: 'Later' } }),
      201,
    );
    expect((await list(world.rep, { contactId: String(contactId) })).data).toEqual([data]);
  });

  it('keeps the newest messages that fit into 56 KB, oldest first', async () => {
    const body = await newSnapshot(world);
    const [contactId, conversationId] = [String(body.contactId), String(body.conversationId)];
    const texts = Array.from({ length: 100 }, (_, index) => ({
      contactId,
      conversationId,
      content: `${index} ${'€'.repeat(500)}`,
      at: new Date(),
    }));
    const written = await writeMessages(world.product, world.admin.organizationId, texts);
    const { data } = expectStatus(await create(world.rep, body), 201);
    const count = data.messages.length;
    expect(data.messages).toEqual(written.slice(-count));
    const bytes = (kept: number) => Buffer.byteLength(JSON.stringify(written.slice(-kept)));
    expect(bytes(count)).toBeLessThanOrEqual(snapshotBytes);
    expect(bytes(count + 1)).toBeGreaterThan(snapshotBytes);
  });

  it.each([{ quality: 'fine' }, { tags: Array(51).fill('x') }, { category: 'x'.repeat(201) }])(
    'with %j is 400',
    async (wrong) => {
      const { status, body } = await create(world.rep, { ...(await newSnapshot(world)), ...wrong });
      expect({ status, keys: Object.keys(body) }).toEqual({ status: 400, keys: ['success', 'message'] });
    },
  );

  it("of another contact's conversation, or of one that does not exist, is 404", async () => {
    const [one, other] = [await newSnapshot(world), await newSnapshot(world)];
    for (const conversationId of [other.conversationId, 'nothing', `${'0'.repeat(26)}${one.contactId}`]) {
      const { status, body } = await create(world.rep, { ...one, conversationId });
      expect({ status, body }).toEqual({
        status: 404,
        body: { success: false, message: 'Conversation not found' },
      });
    }
  });

  it('is deleted by its maker or a head, and by nobody else', async () => {
    const { _id } = expectStatus(await create(world.rep, await newSnapshot(world)), 201).data;
    expect((await remove(world.stranger, _id)).status).toBe(404);
    expect((await remove(world.head, _id)).body).toEqual({ success: true, message: 'Snapshot deleted' });
    expect((await remove(world.rep, _id)).status).toBe(404);
  });
});

describe('Training snapshots', () => {
  it('of a contact that their maker sees no more are shown to the maker no more', async () => {
    const admin = await world.product.newOrganization();
    const rep = await world.product.newColleague(admin);
    const body = { phoneNumbers: [{ value: '+99912345670' }], assignees: [rep.userId] };
    const contact = await world.product.call('create-contact', { token: admin.token, body });
    const contactId = expectStatus(contact, 201).data._id;
    const message = { contactId, content: 'Hello' };
    const sent = await world.product.call('send-message', { token: admin.token, body: message });
    const { conversationId } = expectStatus(sent, 201).data;
    const snapshot = { contactId, conversationId, quality: 'good' };
    const { _id } = expectStatus(await create(rep, snapshot), 201).data;
    expect(ids(await list(rep))).toEqual([_id]);
    const unassigned = { token: admin.token, path: { id: contactId }, body: { assignees: [] } };
    expectStatus(await world.product.call('update-contact', unassigned), 200);
    expect(ids(await list(rep))).toEqual([]);
    expect((await remove(rep, _id)).status).toBe(404);
    expect(ids(await list(admin, { contactId }))).toEqual([_id]);
  });

  it('without a contact are read so that one made a moment ago is among them', async () => {
    const { _id } = expectStatus(await create(world.rep, await newSnapshot(world)), 201).data;
    const reads = faultyTable();
    onTestFinished(reads.restore);
    expect(ids(await list(world.rep))).toContain(_id);
    expect(reads.tries('QueryCommand')).toMatchObject([{ ConsistentRead: true }]);
  });

  it("without a contact are the caller's own, newest first, page by page", async () => {
    const admin = await world.product.newOrganization();
    const made: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { token } = admin;
      const phoneNumbers = [{ value: `+99912345678${count}` }];
      const contact = await world.product.call('create-contact', { token, body: { phoneNumbers } });
      const contactId = expectStatus(contact, 201).data._id;
      const sent = await world.product.call('send-message', { token, body: { contactId, content: 'Hi' } });
      const { conversationId } = expectStatus(sent, 201).data;
      const snapshot = await create(admin, { contactId, conversationId, quality: 'good' });
      made.unshift(expectStatus(snapshot, 201).data._id);
    }
    const first = await list(admin, { limit: '2' });
    expect(ids(first)).toEqual(made.slice(0, 2));
    expect(ids(await list(admin, { cursor: first.nextCursor }))).toEqual(made.slice(2));
    const colleague = await world.product.newColleague(admin);
    expect(ids(await list(colleague))).toEqual([]);
  });
});

it('A file in a message can be downloaded from its snapshot, and from the separation data', async () => {
  const { product, rep, admin } = world;
  const { _id: contactId } = await world.newContact();
  const file = { name: 'offer.txt', type: 'text/plain', size: 5 };
  const uploads = await product.call('create-uploads', { token: rep.token, body: { files: [file] } });
  const [{ key, upload }] = expectStatus(uploads, 200).files;
  const form = new FormData();
  for (const [field, value] of Object.entries<string>(upload.fields)) {
    form.append(field, value);
  }
  form.append('file', new Blob(['hello'], { type: file.type }));
  expect((await fetch(upload.url, { method: 'POST', body: form })).ok).toBe(true);
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
