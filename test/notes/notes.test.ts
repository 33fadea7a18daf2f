import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, outcome } from '../harness/tenants.ts';
import { type Note, noteFailure, noteKeys, notesClient } from './client.ts';

const tenants = await setUpTenants();
const { product, superadmin, head, newContact } = tenants;
const rep = notesClient(product, tenants.rep);

const newContactId = async () => (await newContact())._id;

test('A new note returns 201 {success, message, data} with exactly the fields of the specification', async () => {
  const at = new Date('2026-11-20T10:00:00.000Z');
  const { userId, email, token } = await product.newColleague(tenants.admin);
  const { _id: contactId } = await newContact({ assignees: [userId] });
  const body = { contactId, note: '**Budget** is fixed\n@Test Person' };
  const { status, body: response } = await product.call('create-note', { token, body, at });
  expect(status).toBe(201);
  expect(response).toEqual({
    success: true,
    message: 'Note created',
    data: {
      _id: expect.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
      userId: { _id: userId, fullName: 'Test Person', email },
      note: '**Budget** is fixed\n@Test Person',
      attachments: [],
      reactions: [],
      isEdited: false,
      createdAt: '2026-11-20T10:00:00.000Z',
    },
  });
  expect(Object.keys(response.data)).toEqual(noteKeys);
});

test('A new note ignores system fields and what it does not know', async () => {
  const contactId = await newContactId();
  const note = await rep.written(contactId, {
    note: 'mine',
    _id: 'x',
    userId: tenants.admin.userId,
    createdAt: '2000-01-01T00:00:00.000Z',
    isEdited: true,
    reactions: [{ emoji: '👍', users: [tenants.admin.userId] }],
    colour: 'red',
  });
  expect(note).toMatchObject({
    userId: { _id: tenants.rep.userId },
    note: 'mine',
    reactions: [],
    isEdited: false,
  });
  expect(note._id).not.toBe('x');
  expect(note.createdAt > '2026').toBe(true);
});

test('A new note keeps its text in normal form, white space and markup included', async () => {
  const contactId = await newContactId();
  for (const text of [
    '    code\n\n* a\n',
    '<script>alert(1)</script>',
    'e\u0301 \u200f\u0000 👩‍👩‍👧‍👦',
    '  a  ',
  ]) {
    expect((await rep.written(contactId, { note: text })).note).toBe(text.normalize('NFC'));
    expect((await rep.notes(contactId))[0]?.note).toBe(text.normalize('NFC'));
  }
});

test.each([
  ['missing', undefined],
  ['empty', ''],
  ['white space', ' \n\t\u00a0\u3000'],
  ['invisible characters', '\u200b\u200f\u2060\ufeff'],
  ['Hangul fillers', '\u3164 \u115f'],
])('A new note needs a text unless there are attachments: 400 when it is %s', async (_, note) => {
  expect(outcome(await rep.create({ contactId: await newContactId(), note }))).toEqual(
    noteFailure(400, 'INVALID', 'note is required unless there are attachments'),
  );
});

test('A new note of a SUPERADMIN in another organization shows its author without name and address', async () => {
  const contactId = await newContactId();
  const headers = { 'x-organization-id': tenants.admin.organizationId };
  const visitor = notesClient(product, superadmin, headers);
  const note = await visitor.written(contactId);
  const author = { _id: superadmin.userId, fullName: 'Someone outside this organization', email: '' };
  expect(note.userId).toEqual(author);
  expect((await rep.notes(contactId))[0]?.userId).toEqual(author);
});

test('A new note and the deletion of its contact at the same time leave no note behind', async () => {
  for (let round = 0; round < 20; round += 1) {
    const contactId = await newContactId();
    const [created] = await Promise.all([
      rep.create({ contactId, note: 'a' }),
      product.call('delete-contact', { token: tenants.rep.token, path: { id: contactId } }),
    ]);
    expect([201, 404]).toContain(created.status);
    expect((await rep.list(contactId)).status).toBe(404);
  }
});

test('The notes on a contact are listed newest first, page by page, for everybody who sees the contact', async () => {
  const contactId = await newContactId();
  const admin = notesClient(product, tenants.admin);
  const start = Date.now();
  for (let index = 0; index < 5; index += 1) {
    const body = { contactId, note: `note ${index}` };
    await arrange((index % 2 === 0 ? rep : admin).create(body, new Date(start + index)));
  }
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const query: Record<string, string> = cursor === null ? { limit: '2' } : { limit: '2', cursor };
    const body = expectStatus(await notesClient(product, head).list(contactId, query), 200);
    expect(Object.keys(body)).toEqual(['success', 'data', 'nextCursor']);
    pages.push(body.data.map(({ note }: Note) => note));
    cursor = body.nextCursor;
  } while (cursor !== null);
  expect(pages).toEqual([['note 4', 'note 3'], ['note 2', 'note 1'], ['note 0']]);

  const notes = await rep.notes(contactId);
  expect(notes.map(({ userId }) => userId._id)).toEqual(
    [0, 1, 2, 3, 4].map((index) => tenants[index % 2 === 0 ? 'rep' : 'admin'].userId),
  );
  expect(notes.map((note) => Object.keys(note))).toEqual(notes.map(() => noteKeys));
});

test('The notes on a contact are 25 a page unless asked otherwise, and 100 at most', async () => {
  const contactId = await newContactId();
  await Promise.all(Array.from({ length: 26 }, () => rep.written(contactId)));
  expect((await rep.list(contactId)).body.data).toHaveLength(25);
  expect((await rep.list(contactId, { limit: '100' })).body.data).toHaveLength(26);
  for (const limit of ['0', '101', 'all', '1.5']) {
    expect(outcome(await rep.list(contactId, { limit }))).toEqual(
      noteFailure(400, 'INVALID', 'limit must be a whole number from 1 to 100'),
    );
  }
});

test('The notes on a contact need a contactId, and a cursor of their own', async () => {
  expect(outcome(await product.call('list-notes', { token: tenants.rep.token }))).toEqual(
    noteFailure(400, 'INVALID', 'contactId is required'),
  );
  const contactId = await newContactId();
  expect((await rep.list(contactId, { cursor: 'x' })).status).toBe(400);
  expect((await rep.list(contactId, { cursor: Buffer.from('CONTACT').toString('base64url') })).status).toBe(
    400,
  );
});
