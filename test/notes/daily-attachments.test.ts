import { expect, test } from 'vitest';
import { timestamp } from '../../shared/kernel/time.ts';
import { attachedBytesKey, gigabytesADay } from '../../shared/notes/attached-bytes.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { notesClient } from './client.ts';
import { uploadedFile } from './uploads-client.ts';

const tenants = await setUpTenants();
const { product, admin, newContact } = tenants;
const rep = notesClient(product, tenants.rep);
const { table } = product.tableOf(admin.organizationId);
const key = attachedBytesKey(timestamp(new Date()).slice(0, 10));

const attached = async () => (await table.read(key))?.attributes?.used;

test('The bytes of all files that an organization attaches in a day are counted, those of one that a note has twice once', async () => {
  const { _id: contactId } = await newContact();
  const [one, other] = [
    await uploadedFile(product, tenants.rep, 'hello'),
    await uploadedFile(product, tenants.rep, 'goodbye'),
  ];
  const attachments = [one, other, one].map(({ key, name }) => ({ key, name }));
  expect((await rep.create({ contactId, attachments })).status).toBe(201);
  expect(await attached()).toBe(12);
  expect((await rep.create({ contactId, attachments: attachments.slice(0, 1) })).status).toBe(201);
  expect(await attached()).toBe(17);
});

test('Once an organization has attached 100 GB in a day, further files are refused before they are copied, and notes without files are not', async () => {
  const { _id: contactId } = await newContact();
  const { key: file, name } = await uploadedFile(product, tenants.rep, 'hello');
  await table.update(key, { update: 'SET used = :most', values: { most: gigabytesADay * 1024 ** 3 } });
  const before = (await product.objects.contents()).length;
  const { status, headers, body } = await rep.create({ contactId, attachments: [{ key: file, name }] });
  expect([status, body.message]).toEqual([
    429,
    'Your organization may attach 100 GB of files a day and has attached them. Attach further files after midnight UTC.',
  ]);
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(24 * 60 * 60);
  expect((await product.objects.contents()).length).toBe(before);
  expect((await rep.create({ contactId, note: 'Without a file' })).status).toBe(201);
});
