import { expect, test } from 'vitest';
import type { PresignedPost } from '../../shared/kernel/providers/objects.ts';
import { minute } from '../../shared/kernel/time.ts';
import { provideUploads } from '../../shared/ports/objects.ts';
import { invocationScope } from '../harness/objects.ts';
import { refusal, upload } from '../local/object-store-fixture.ts';
import { objectsOfTest, storedAt } from './bucket.ts';

const key = 'user-1/01J/Größe (1)+ 100%.pdf';
const pdf = { type: 'application/pdf', maxBytes: 1_000, seconds: 300 };

/** The port of one organization, with a form that it signed, and what is stored by it. */
async function signedForm(at?: Date) {
  const objects = objectsOfTest();
  const uploads = await objects.of('acme', 'uploads', at);
  const attachments = await objects.of('acme', 'newAttachments');
  const stored = () => attachments.upload(`org/acme/${key}`);
  return { objects, uploads, attachments, stored, form: await uploads.presignedPost(key, pdf) };
}

/** The form with other fields; undefined leaves a field out. */
function changed(form: PresignedPost, changes: Record<string, string | undefined>) {
  const fields = Object.entries({ ...form.fields, ...changes });
  return {
    url: form.url,
    fields: Object.fromEntries(fields.filter((entry): entry is [string, string] => entry[1] !== undefined)),
  };
}

test('A signed form lets a browser store its file, which is then found with its size and type', async () => {
  const { objects, stored: found, form } = await signedForm();
  expect(form.method).toBe('POST');
  expect(await found()).toBeUndefined();
  expect((await upload(form, 'hello', 'anything.exe')).status).toBe(204);
  expect(await found()).toMatchObject({ relative: key, size: 5, type: 'application/pdf' });
  const stored = await storedAt(objects, `org/acme/${key}`);
  expect(String(stored.bytes)).toBe('hello');
  expect(stored.type).toBe('application/pdf');
});

test('A signed form takes a file of exactly the limit, and neither one byte more nor none at all', async () => {
  const { stored, form } = await signedForm();
  expect(await refusal(await upload(form, 'x'.repeat(1_001)))).toContain('400 EntityTooLarge');
  expect(await refusal(await upload(form, ''))).toContain('400 EntityTooSmall');
  expect(await stored()).toBeUndefined();
  expect((await upload(form, 'x'.repeat(1_000))).status).toBe(204);
  expect(await stored()).toMatchObject({ size: 1_000 });
});

test.each<[string, Record<string, string | undefined>, string]>([
  ['the key of another object', { key: 'org/acme/user-1/01J/other.pdf' }, `["eq","$key","org/acme/${key}"]`],
  ['the key of another organization', { key: `org/rival/${key}` }, `["eq","$key","org/acme/${key}"]`],
  ['another type', { 'Content-Type': 'text/html' }, '["eq","$Content-Type","application/pdf"]'],
  ['no type', { 'Content-Type': undefined }, '["eq","$Content-Type","application/pdf"]'],
  [
    'a field that is not signed',
    { 'Content-Disposition': 'inline' },
    'Extra input fields: content-disposition',
  ],
])('A signed form is refused with %s, and nothing is stored', async (_, changes, named) => {
  const { stored, form } = await signedForm();
  const reason = await refusal(await upload(changed(form, changes), 'hello'));
  expect(reason).toContain('403 AccessDenied: Invalid according to Policy: ');
  expect(reason).toContain(named);
  expect(await stored()).toBeUndefined();
  expect((await upload(form, 'hello')).status).toBe(204);
});

test('A signed form is refused once its time is over', async () => {
  const late = await signedForm(new Date(Date.now() - 5 * minute));
  expect(await refusal(await upload(late.form, 'hello'))).toContain('Policy expired');
  expect(await late.stored()).toBeUndefined();
  const early = await signedForm(new Date(Date.now() - 4 * minute));
  expect((await upload(early.form, 'hello')).status).toBe(204);
});

test('A signed form carries the session token of temporary credentials, and is refused without it', async () => {
  const objects = objectsOfTest();
  const environment = { ...(await objects.environment()), AWS_SESSION_TOKEN: 'session/token+=' };
  const form = await provideUploads(environment)(invocationScope('acme')).presignedPost(key, pdf);
  expect(form.fields['X-Amz-Security-Token']).toBe('session/token+=');
  const without = changed(form, { 'X-Amz-Security-Token': undefined });
  expect(await refusal(await upload(without, 'hello'))).toContain('403 AccessDenied');
  expect((await upload(form, 'hello')).status).toBe(204);
});

test('A file that was replaced by a later form is found as it is now', async () => {
  const { uploads, stored, form } = await signedForm();
  await upload(form, 'hello');
  await upload(await uploads.presignedPost(key, { ...pdf, type: 'text/plain' }), 'longer than before');
  expect(await stored()).toMatchObject({ size: 18, type: 'text/plain' });
});

test('An attachment is a copy that keeps its bytes when the form is posted again with others', async () => {
  const { objects, attachments, stored, form } = await signedForm();
  await upload(form, 'hello');
  const first = await stored();
  await attachments.copy(first as never, 'note-1/0');
  expect((await upload(form, 'EVIL!')).status).toBe(204);
  const copied = await storedAt(objects, 'files/acme/note-1/0');
  expect(String(copied.bytes)).toBe('hello');
  expect(copied.type).toBe('application/pdf');
});

test('A file that was replaced between the look at it and the copy is not attached', async () => {
  const { attachments, stored, form } = await signedForm();
  await upload(form, 'hello');
  const first = await stored();
  await upload(form, 'EVIL!');
  await expect(attachments.copy(first as never, 'note-1/0')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
