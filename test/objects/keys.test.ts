import { expect, test } from 'vitest';
import { areaPrefix, objectKeys } from '../../shared/ports/object-keys.ts';
import {
  provideAttachments,
  provideDocuments,
  provideExports,
  provideNewAttachments,
  provideUploads,
} from '../../shared/ports/objects.ts';
import { invocationScope } from '../harness/objects.ts';
import { objectsOfTest } from './bucket.ts';

const { keyOf, relativeKey } = objectKeys('uploads', 'acme');

test.each(['user-1/01J/report.pdf', 'user-1/01J/..report..pdf', 'user-1/01J/文件 (1) #?%2e%2e+👩‍👩‍👧'])(
  'The key of an upload is recognised again: %j',
  (relative) => {
    expect(keyOf(relative)).toBe(`org/acme/${relative}`);
    expect(relativeKey(`org/acme/${relative}`)).toBe(relative);
  },
);

test.each([
  ['of another organization', 'org/rival/user-1/01J/report.pdf'],
  ['of an organization whose id begins alike', 'org/acme2/user-1/01J/report.pdf'],
  ['of a document', 'documents/acme/user-1/01J/report.pdf'],
  ['of an export', 'exports/acme/user-1/01J/report.pdf'],
  ['of nobody', 'report.pdf'],
  ['with a slash in front', '/org/acme/user-1/report.pdf'],
  ['written otherwise', 'ORG/acme/user-1/report.pdf'],
  ['that is empty', ''],
  ['that ends with the organization', 'org/acme/'],
  ['that climbs to another organization', 'org/acme/../rival/report.pdf'],
  ['that climbs at its end', 'org/acme/user-1/..'],
  ['with a segment that means itself', 'org/acme/./report.pdf'],
  ['with an empty segment', 'org/acme//report.pdf'],
  ['with a slash at its end', 'org/acme/user-1/'],
  ['with a line break', 'org/acme/user-1/a\nb.pdf'],
  ['with a null character', 'org/acme/user-1/a\0b.pdf'],
  ['with a control character of Latin-1', 'org/acme/user-1/a\u0085b.pdf'],
  ['that is not valid Unicode', 'org/acme/user-1/\ud83d.pdf'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a form replaces.
  ['in which a form would put the name of the file', 'org/acme/user-1/${filename}'],
])('The key of an upload is not one %s', (_, key) => {
  expect(relativeKey(key)).toBeUndefined();
});

test('The key of an upload has 1,024 bytes at most', () => {
  const longest = 'ü'.repeat((1_024 - 'org/acme/'.length - 1) / 2);
  expect(relativeKey(`org/acme/1${longest}`)).toBe(`1${longest}`);
  expect(relativeKey(`org/acme/12${longest}`)).toBeUndefined();
});

test('The areas of the bucket do not overlap', () => {
  expect([
    areaPrefix('uploads'),
    areaPrefix('files'),
    areaPrefix('documents'),
    areaPrefix('exports'),
  ]).toEqual(['org/', 'files/', 'documents/', 'exports/']);
});

test.each(['', '.', '..', 'a/b', 'a\nb'])('No keys are made for an organization with the id %j', (id) => {
  expect(() => objectKeys('documents', id)).toThrow('The id of an organization cannot be part');
});

test.each([
  ['attachments', provideAttachments],
  ['newAttachments', provideNewAttachments],
  ['uploads', provideUploads],
  ['documents', provideDocuments],
  ['exports', provideExports],
] as const)('a port is not made for a call without a verified caller: %s', async (_, provide) => {
  const provider = provide(await objectsOfTest().environment());
  expect(() => provider(invocationScope(undefined))).toThrow('The port "objects" needs a caller');
  expect(provider(invocationScope('acme'))).toBeDefined();
});

test.each(['', '../rival/1', 'a//b', 'a\nb'])('A port does nothing with the key %j', async (relative) => {
  const objects = objectsOfTest();
  const uploads = await objects.of('acme', 'uploads');
  const documents = await objects.of('acme', 'documents');
  const file = { name: 'a', type: 'b', seconds: 60, maxBytes: 1 };
  const refused = 'An object key under';
  const attachments = await objects.of('acme', 'newAttachments');
  const erasure = await objects.of('acme', 'erasure');
  const upload = { relative: 'user-1/01J/a.pdf', size: 1, type: 'a/b', etag: '"0"', version: undefined };
  await expect(attachments.copy(upload, relative)).rejects.toThrow(refused);
  await expect(attachments.copy({ ...upload, relative }, 'note-1/0')).rejects.toThrow(refused);
  await expect(attachments.downloadUrl(relative, file)).rejects.toThrow(refused);
  await expect(erasure('acme').remove({ area: 'files', key: relative })).rejects.toThrow(refused);
  await expect(uploads.presignedPost(relative, file)).rejects.toThrow(refused);
  await expect(documents.get(relative)).rejects.toThrow(refused);
  await expect(documents.put(relative, Buffer.from('x'))).rejects.toThrow(refused);
  await expect(documents.remove(relative)).rejects.toThrow(refused);
});

test.each(['BUCKET_NAME', 'AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])(
  'A port is not made without %s',
  async (variable) => {
    const { [variable]: _, ...environment } = await objectsOfTest().environment();
    expect(() => provideUploads(environment)).toThrow(`${variable} is not set`);
  },
);
