import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, outcome } from '../harness/tenants.ts';
import { type NotesClient, noteFailure, noteKeys, notesClient, writtenNote } from './client.ts';

const tenants = await setUpTenants();
const { product, otherRep } = tenants;
const [rep, admin, head] = (['rep', 'admin', 'head'] as const).map((who) =>
  notesClient(product, tenants[who]),
) as [NotesClient, NotesClient, NotesClient];

const missing = noteFailure(404, 'NOT_FOUND', 'Note not found');

test('Editing a note changes its text and marks it as edited, for good', async () => {
  const { contactId, ...note } = await writtenNote(tenants, tenants.rep, { note: 'Draft' });
  const { status, body } = await rep.edit(note._id, { note: 'Final' });
  expect({ status, body }).toEqual({
    status: 200,
    body: { success: true, message: 'Note updated', data: { ...note, note: 'Final', isEdited: true } },
  });
  expect(Object.keys(body.data)).toEqual(noteKeys);
  expect(await rep.notes(contactId)).toEqual([body.data]);
  expect((await rep.edit(note._id, { note: 'Draft' })).body.data.isEdited).toBe(true);
});

test('Editing a note without a change does not mark it as edited', async () => {
  const { contactId: _, ...note } = await writtenNote(tenants, tenants.rep, {
    note: 'Same',
    mentions: [tenants.head.userId],
  });
  for (const edit of [
    { note: 'Same' },
    { mentions: [tenants.head.userId] },
    { note: 'Same', mentions: [tenants.head.userId, tenants.head.userId] },
  ]) {
    expect((await rep.edit(note._id, edit)).body).toEqual({
      success: true,
      message: 'No changes',
      data: note,
    });
  }
  expect((await rep.edit(note._id, { mentions: [] })).body).toMatchObject({
    message: 'Note updated',
    data: { isEdited: false },
  });
});

test('Editing a note is for the author alone: 403 for everybody else who sees it, an ADMIN too', async () => {
  const { _id, contactId } = await writtenNote(tenants, tenants.rep, { note: 'Mine' });
  for (const client of [admin, head]) {
    expect(outcome(await client.edit(_id, { note: 'Theirs' }))).toEqual(
      noteFailure(403, 'FORBIDDEN', 'Only its author may edit a note.'),
    );
  }
  expect((await rep.notes(contactId))[0]).toMatchObject({ note: 'Mine', isEdited: false });
});

test('Editing a note is a 404 for an author who has lost sight of the contact', async () => {
  const call = { token: tenants.admin.token };
  const body = { firstName: 'Handed over', owner: tenants.head.userId };
  const { _id: contactId } = (await product.call('create-contact', { ...call, body })).body.data;
  const { _id } = await head.written(contactId);
  expect(await head.notes(contactId)).toHaveLength(1);
  const owner = { owner: otherRep.userId };
  await arrange(product.call('update-contact', { ...call, path: { id: contactId }, body: owner }));
  expect(outcome(await head.edit(_id, { note: 'x' }))).toEqual(missing);
  expect(outcome(await head.remove(_id))).toEqual(missing);
  expect(outcome(await head.react(_id, '👍'))).toEqual(missing);
  expect(await notesClient(product, otherRep).notes(contactId)).toHaveLength(1);
});

test('Editing a note needs something to change, and leaves no note without text or attachments', async () => {
  const { _id } = await writtenNote(tenants, tenants.rep, { note: 'Text' });
  for (const [edit, message] of [
    [{}, 'note or mentions is required'],
    [{ note: ' \n' }, 'note must not be empty: it has no attachments'],
    [{ note: null }, 'note or mentions is required'],
    [{ note: `${'😀'.repeat(20_001)}` }, 'note must have at most 20000 characters'],
    [{ mentions: Array(41).fill(tenants.rep.userId) }, 'mentions must have at most 40 items'],
  ] as const) {
    expect(outcome(await rep.edit(_id, edit))).toEqual(noteFailure(400, 'INVALID', message));
  }
  expect((await rep.edit(_id, { note: '😀'.repeat(20_000) })).status).toBe(200);
});

test('Editing a note at the same time as reactions loses neither', async () => {
  const { _id, contactId } = await writtenNote(tenants, tenants.rep, { note: 'Text' });
  await Promise.all([
    ...Array.from({ length: 5 }, (_, index) => rep.edit(_id, { note: `Text ${index}` })),
    admin.react(_id, '👍'),
    head.react(_id, '👍'),
    rep.react(_id, '🎉'),
  ]);
  const [note] = await rep.notes(contactId);
  expect(note).toMatchObject({ note: expect.stringMatching(/^Text \d$/), isEdited: true });
  const counts = Object.fromEntries(note?.reactions.map(({ emoji, count }) => [emoji, count]) ?? []);
  expect(counts).toEqual({ '👍': 2, '🎉': 1 });
});

test('Deleting a note is for its author and for an ADMIN; 403 for others who see it', async () => {
  for (const client of [rep, admin]) {
    const { _id, contactId } = await writtenNote(tenants, tenants.rep);
    expect(outcome(await head.remove(_id))).toEqual(
      noteFailure(403, 'FORBIDDEN', 'Only its author or an ADMIN may delete a note.'),
    );
    expect(await rep.notes(contactId)).toHaveLength(1);
    expect(outcome(await client.remove(_id))).toEqual({
      status: 200,
      body: { success: true, message: 'Note deleted' },
    });
    expect(await rep.notes(contactId)).toEqual([]);
  }
});

test('Deleting a note makes it missing for whatever comes after', async () => {
  const { _id } = await writtenNote(tenants, tenants.rep);
  await arrange(rep.remove(_id));
  expect(outcome(await rep.remove(_id))).toEqual(missing);
  expect(outcome(await rep.edit(_id, { note: 'x' }))).toEqual(missing);
  expect(outcome(await rep.react(_id, '👍'))).toEqual(missing);
});

test('Deleting a note twenty times at once is done once', async () => {
  const { _id } = await writtenNote(tenants, tenants.rep);
  const responses = await Promise.all(Array.from({ length: 20 }, () => rep.remove(_id)));
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(404)]);
});
