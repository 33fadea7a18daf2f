import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, outcome } from '../harness/tenants.ts';
import { noteFailure, noteKeys, notesClient, writtenNote } from './client.ts';

const tenants = await setUpTenants();
const { product } = tenants;
const rep = notesClient(product, tenants.rep);
const admin = notesClient(product, tenants.admin);

test('A reaction adds the caller, and the same again takes it back: items {emoji, users, count}', async () => {
  const { contactId, ...note } = await writtenNote(tenants, tenants.rep);
  const thumbs = (...users: string[]) => ({ emoji: '👍', users, count: users.length });

  const first = await rep.react(note._id, '👍');
  expect(outcome(first)).toEqual({
    status: 200,
    body: {
      success: true,
      message: 'Reaction toggled',
      data: { ...note, reactions: [thumbs(tenants.rep.userId)] },
    },
  });
  expect(Object.keys(first.body.data)).toEqual(noteKeys);
  const second = await admin.react(note._id, '👍');
  expect(second.body.data.reactions).toEqual([thumbs(tenants.rep.userId, tenants.admin.userId)]);
  const other = await admin.react(note._id, '🎉');
  expect(other.body.data.reactions[1]).toEqual({ emoji: '🎉', users: [tenants.admin.userId], count: 1 });

  expect((await rep.react(note._id, '👍')).body.data.reactions[0]).toEqual(thumbs(tenants.admin.userId));
  await arrange(admin.react(note._id, '👍'));
  await arrange(admin.react(note._id, '🎉'));
  expect((await rep.notes(contactId))[0]).toEqual(note);
});

/** Nobody has reacted to it before or after a test. */
const shared = await writtenNote(tenants, tenants.rep);

test.each([
  ['a picture', '🎉'],
  ['a heart as text', '❤'],
  ['a heart as a picture', '❤️'],
  ['a skin tone', '👋🏽'],
  ['a family', '👨‍👩‍👧‍👦'],
  ['a couple with skin tones', '👩🏻‍❤️‍💋‍👨🏿'],
  ['a flag of two letters', '🇨🇭'],
  ['a flag of tags', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ['a keycap', '5️⃣'],
  ['a short code', ':thumbs_up:'],
  ['the shortest code', ':+1:'],
  ['the longest code', `:${'a'.repeat(30)}:`],
])('A reaction may be %s: %s', async (_, emoji) => {
  const [shown] = (await rep.react(shared._id, emoji)).body.data.reactions;
  expect(shown).toEqual({ emoji, users: [tenants.rep.userId], count: 1 });
  await arrange(rep.react(shared._id, emoji));
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['an empty text', ''],
  ['white space', ' '],
  ['a letter', 'a'],
  ['a digit', '5'],
  ['a word', 'like'],
  ['two emoji', '👍👍'],
  ['an emoji with a letter', '👍a'],
  ['an emoji with a space', '👍 '],
  ['half a flag', '🇨'],
  ['a code without its end', ':thumbs'],
  ['an empty code', '::'],
  ['a code with spaces', ':thumbs up:'],
  ['a code of 33 characters', `:${'a'.repeat(31)}:`],
  ['an emoji with 32 marks on it', `👍${'\u0301'.repeat(32)}`],
  ['markup', '<b>'],
  ['an array', ['👍']],
])('A reaction is not %s: 400', async (_, emoji) => {
  expect(outcome(await rep.react(shared._id, emoji))).toEqual(
    noteFailure(400, 'INVALID', expect.stringMatching(/^emoji /)),
  );
  expect((await rep.notes(shared.contactId))[0]?.reactions).toEqual([]);
});

test('A reaction with a heart as text or as a picture is the same heart', async () => {
  const { _id } = await writtenNote(tenants, tenants.rep);
  await arrange(rep.react(_id, '❤️'));
  expect((await admin.react(_id, '❤')).body.data.reactions).toEqual([
    { emoji: '❤️', users: [tenants.rep.userId, tenants.admin.userId], count: 2 },
  ]);
  expect((await rep.react(_id, '❤')).body.data.reactions).toMatchObject([{ count: 1 }]);
});

test('A reaction may be one of 50 emoji; the 51st is a 400, and a known one still counts', async () => {
  const { _id, contactId } = await writtenNote(tenants, tenants.rep);
  const code = (index: number) => `:code_${index}:`;
  for (let index = 0; index < 50; index += 1) {
    expect((await rep.react(_id, code(index))).status).toBe(200);
  }
  expect(outcome(await rep.react(_id, '👍'))).toEqual(
    noteFailure(400, 'INVALID', 'emoji must be one of the 50 that this note already has'),
  );
  expect((await admin.react(_id, code(49))).body.data.reactions[49].count).toBe(2);
  const reactions = (await rep.notes(contactId))[0]?.reactions;
  expect(reactions?.map(({ emoji }) => emoji)).toEqual(Array.from({ length: 50 }, (_, index) => code(index)));
});

test('A reaction of 20 users at once counts 20, and taken back at once none', async () => {
  const users = await Promise.all(
    Array.from({ length: 20 }, () => product.newColleague(tenants.admin, 'ADMIN')),
  );
  const { _id, contactId } = await writtenNote(tenants, tenants.rep);
  const all = () => Promise.all(users.map((user) => notesClient(product, user).react(_id, '👍')));
  expect((await all()).map(({ status }) => status)).toEqual(users.map(() => 200));
  const [reaction] = (await rep.notes(contactId))[0]?.reactions ?? [];
  expect(reaction?.count).toBe(20);
  expect([...(reaction?.users ?? [])].sort()).toEqual(users.map(({ userId }) => userId).sort());
  await all();
  expect((await rep.notes(contactId))[0]?.reactions).toEqual([]);
});
