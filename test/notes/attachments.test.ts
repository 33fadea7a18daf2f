import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { outcome } from '../harness/tenants.ts';
import { readNotifications } from '../notifications/client.ts';
import { noteFailure, notesClient, writtenNote } from './client.ts';
import { preparedFile, sendForm, uploadedFile } from './uploads-client.ts';

const tenants = await setUpTenants();
const { product, admin, otherRep, foreignAdmin, newContact } = tenants;
const rep = notesClient(product, tenants.rep);

const newContactId = async () => (await newContact())._id;
const attachment = ({ key, name, size, type }: Record<string, unknown>) => ({ key, name, size, type });

test('An attachment is returned as {name, size, type, signedUrl}, and downloads as a file for one hour', async () => {
  const file = await uploadedFile(product, tenants.rep, 'hello');
  const { contactId, attachments } = await writtenNote(tenants, tenants.rep, {
    attachments: [attachment({ ...file })],
  });
  const [shown] = attachments;
  expect(Object.keys(shown ?? {})).toEqual(['name', 'size', 'type', 'signedUrl']);
  expect(shown).toMatchObject({ name: 'offer.pdf', size: 5, type: 'application/pdf' });
  expect(shown?.signedUrl).toContain('X-Amz-Expires=3600');

  for (const [note] of [[{ attachments }], await rep.notes(contactId)]) {
    const response = await fetch(note?.attachments[0]?.signedUrl ?? '');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''offer.pdf");
    expect(await response.text()).toBe('hello');
  }
});

test('An attachment cannot be downloaded after the hour, or by a changed URL', async () => {
  const file = await uploadedFile(product, tenants.rep, 'hello');
  const { contactId } = await writtenNote(tenants, tenants.rep, { attachments: [attachment({ ...file })] });
  const urlAt = async (at: Date): Promise<string> => {
    const call = { token: tenants.rep.token, query: { contactId }, at };
    const { body } = await product.call('list-notes', call);
    return body.data[0].attachments[0].signedUrl;
  };
  expect((await fetch(await urlAt(new Date(Date.now() - 3_500_000)))).status).toBe(200);
  expect((await fetch(await urlAt(new Date(Date.now() - 3_601_000)))).status).toBe(403);
  const url = await urlAt(new Date());
  expect((await fetch(url.replace('offer.pdf', 'other.pdf'))).status).toBe(403);
  expect((await fetch(url.replace('attachment', 'inline'))).status).toBe(403);
  expect((await fetch(url.split('?')[0] ?? '')).status).toBe(403);
});

test('An attachment has the size and type that the store knows, whatever the client says', async () => {
  const { key } = await uploadedFile(product, tenants.rep, 'hello', {
    name: 'a.png',
    type: 'image/png',
    size: 1_000,
  });
  const contactId = await newContactId();
  for (const claims of [{ size: 1, type: 'text/html' }, { size: 1_000, type: 'image/png' }, {}]) {
    const { attachments } = await rep.written(contactId, {
      attachments: [{ key, name: 'Übersicht 📎 "x".png', ...claims }],
    });
    expect(attachments).toMatchObject([{ name: 'Übersicht 📎 "x".png', size: 5, type: 'image/png' }]);
    const response = await fetch(attachments[0]?.signedUrl ?? '');
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename*=UTF-8''${encodeURIComponent('Übersicht 📎 "x".png')}`,
    );
  }
});

test('An attachment takes the place of a text', async () => {
  const file = await uploadedFile(product, tenants.rep, 'hello');
  const mentioned = await product.newColleague(admin, 'ADMIN');
  const contactId = await newContactId();
  for (const text of [{}, { note: '' }, { note: ' ' }, { note: '\u200b' }]) {
    const body = { contactId, attachments: [attachment({ ...file })], mentions: [mentioned.userId], ...text };
    const { status, body: created } = await rep.create(body);
    expect(status).toBe(201);
    expect(created.data.note).toBe(text.note ?? '');
    expect((await rep.edit(created.data._id, { note: 'Text' })).status).toBe(200);
    expect((await rep.edit(created.data._id, { note: '' })).body.data).toMatchObject({
      note: '',
      attachments: [{ name: 'offer.pdf' }],
    });
  }
  const { data } = await readNotifications(product, mentioned);
  expect(data.map(({ message }) => message)).toEqual(Array(4).fill('offer.pdf'));
});

test('An attachment may be one of 20, in their order', async () => {
  const files = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      uploadedFile(product, tenants.rep, `file ${index}`, { name: `${index}.txt`, type: 'text/plain' }),
    ),
  );
  const { attachments } = await writtenNote(tenants, tenants.rep, {
    attachments: files.map((file) => attachment({ ...file })),
  });
  expect(attachments.map(({ name }) => name)).toEqual(files.map(({ name }) => name));
  const contents = await Promise.all(
    attachments.map(async ({ signedUrl }) => (await fetch(signedUrl)).text()),
  );
  expect(contents).toEqual(files.map((_, index) => `file ${index}`));
});

test('An attachment may have been uploaded by a colleague', async () => {
  const file = await uploadedFile(product, otherRep, 'hello');
  expect(
    (await writtenNote(tenants, tenants.rep, { attachments: [attachment({ ...file })] })).attachments,
  ).toHaveLength(1);
});

test.each<[string, () => Promise<string> | string]>([
  ['of another organization', async () => (await uploadedFile(product, foreignAdmin, 'secret')).key],
  ['that was never uploaded', async () => (await preparedFile(product, tenants.rep)).key],
  ['that nobody has', () => 'nothing'],
  ['that is empty', () => ''],
  ['that climbs', () => `org/${admin.organizationId}/../${foreignAdmin.organizationId}/a.pdf`],
  ['of an attachment', () => `files/${admin.organizationId}/a/b/0`],
  ['of an export', () => `exports/${admin.organizationId}/a.json`],
  ['of a document', () => `documents/${admin.organizationId}/a`],
  ['longer than keys can be', () => `org/${admin.organizationId}/${'x'.repeat(2_000)}`],
])('An attachment with a key %s is a 404, and nothing is signed or written', async (_, key) => {
  const own = await uploadedFile(product, tenants.rep, 'hello');
  const contactId = await newContactId();
  const mentioned = await product.newColleague(admin, 'ADMIN');
  const { status, body } = await rep.create({
    contactId,
    note: 'a',
    mentions: [mentioned.userId],
    attachments: [
      attachment({ ...own }),
      { key: await key(), name: 'a.pdf', size: 5, type: 'application/pdf' },
    ],
  });
  expect({ status, body }).toEqual(
    noteFailure(
      404,
      'NOT_FOUND',
      'attachments[1].key is not the key of a file uploaded in this organization',
    ),
  );
  expect(JSON.stringify(body)).not.toContain('X-Amz');
  expect(await rep.notes(contactId)).toEqual([]);
  expect((await readNotifications(product, mentioned)).data).toEqual([]);
});

test.each(['setup.exe', 'page.html', 'picture.svg', 'a\u0000.pdf', ''])(
  'An attachment cannot get the name %j that an upload could not have',
  async (name) => {
    const { key } = await uploadedFile(product, tenants.rep, 'hello');
    expect(
      outcome(await rep.create({ contactId: await newContactId(), note: 'a', attachments: [{ key, name }] })),
    ).toEqual(noteFailure(400, 'INVALID', expect.stringMatching(/^attachments\[0\]\.name must not/)));
  },
);

test('An attachment keeps its bytes when the same form is posted again with others', async () => {
  const file = await uploadedFile(product, tenants.rep, 'hello');
  const { contactId, attachments } = await writtenNote(tenants, tenants.rep, {
    attachments: [attachment({ ...file })],
  });
  expect((await sendForm(file, 'a contract with other terms')).status).toBe(204);
  const [listed] = await rep.notes(contactId);
  for (const shown of [attachments[0], listed?.attachments[0]]) {
    expect(await (await fetch(shown?.signedUrl ?? '')).text()).toBe('hello');
    expect(shown?.size).toBe(5);
  }
});
