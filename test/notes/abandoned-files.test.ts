import { expect, test } from 'vitest';
import { hour } from '../../shared/kernel/time.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { notesClient } from './client.ts';
import { uploadedFile } from './uploads-client.ts';

const tenants = await setUpTenants();
const { product } = tenants;
const rep = notesClient(product, tenants.rep);
const stream = await tableStream(product);
const faulty = setUpFaultyTable();

/** How many attached files, or documents, of this content are in the store. */
async function copiesOf(content: string, area: 'files' | 'documents'): Promise<number> {
  const objects = await product.objects.contents();
  return objects.filter((bytes) => bytes.includes(content) && bytes.includes(`"key":"${area}/`)).length;
}

async function failingNote(content: string) {
  const { key, name } = await uploadedFile(product, tenants.rep, content);
  const { _id: contactId } = await tenants.newContact();
  faulty.always('TransactWriteItemsCommand', async () => {
    throw Object.assign(new Error('No response'), { name: 'TimeoutError' });
  });
  const response = await rep.create({ contactId, attachments: [{ key, name }] });
  faulty.clear();
  return response.status;
}

test('The file of a note that could not be stored is gone within hours', async () => {
  expect(await failingNote('abandoned')).toBe(503);
  await stream.settle();
  expect(await copiesOf('abandoned', 'files')).toBe(1);
  await stream.expire(new Date(Date.now() + 2 * hour));
  expect(await copiesOf('abandoned', 'files')).toBe(0);
});

test('The file of a note that was stored stays', async () => {
  const { key, name } = await uploadedFile(product, tenants.rep, 'wanted');
  const { _id: contactId } = await tenants.newContact();
  expect((await rep.create({ contactId, attachments: [{ key, name }] })).status).toBe(201);
  await stream.expire(new Date(Date.now() + 48 * hour));
  expect(await copiesOf('wanted', 'files')).toBe(1);
  const [note] = await rep.notes(contactId);
  expect(await (await fetch(note?.attachments[0]?.signedUrl ?? '')).text()).toBe('wanted');
});

test('The file of a note whose contact was deleted before the file was copied is gone within hours', async () => {
  const { key, name } = await uploadedFile(product, tenants.rep, 'overtaken');
  const { _id: contactId } = await tenants.newContact();
  await stream.settle();
  // The first single write announces the copy.
  faulty.next('PutItemCommand', async (next) => {
    const announced = await next();
    await product.call('delete-contact', { token: tenants.rep.token, path: { id: contactId } });
    await stream.settle();
    return announced;
  });
  const response = await rep.create({ contactId, attachments: [{ key, name }] });
  faulty.clear();
  expect(response.status).toBe(404);
  await stream.settle();
  expect(await copiesOf('overtaken', 'files')).toBe(1);
  await stream.expire(new Date(Date.now() + 2 * hour));
  expect(await copiesOf('overtaken', 'files')).toBe(0);
  expect((await stream.texts()).filter((text) => text.includes(`CONTACT#${contactId}`))).toEqual([]);
});

test('A note that is refused copies nothing', async () => {
  const { key, name } = await uploadedFile(product, tenants.rep, 'refused');
  const { _id: contactId } = await tenants.newContact();
  const attachments = [{ key, name }];
  expect((await rep.create({ contactId, attachments, mentions: ['nobody'] })).status).toBe(404);
  expect((await rep.create({ contactId: 'nobody', attachments })).status).toBe(404);
  expect(await copiesOf('refused', 'files')).toBe(0);
});
