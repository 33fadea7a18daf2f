import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { minute } from '../../shared/kernel/time.ts';
import { provideAttachments } from '../../shared/ports/objects.ts';
import { invocationScope } from '../harness/objects.ts';
import { refusal, upload } from '../local/object-store-fixture.ts';
import { objectsOfTest } from './bucket.ts';

const key = 'user-1/01J/Größe (1)+ 100%.pdf';
const file = { name: 'report.pdf', type: 'application/pdf', seconds: 300 };

async function uploaded(at?: Date) {
  const objects = objectsOfTest();
  const uploads = await objects.of('acme', 'uploads');
  await upload(
    await uploads.presignedPost(key, { type: 'image/png', maxBytes: 1_000, seconds: 60 }),
    'hello',
  );
  const attachments = await objects.of('acme', 'newAttachments', at);
  const stored = await attachments.upload(`org/acme/${key}`);
  if (stored === undefined) {
    throw new Error('Nothing was uploaded');
  }
  await attachments.copy(stored, key);
  return { objects, attachments: await objects.of('acme', 'attachments', at) };
}

/** The name that a client reads from the header, by RFC 8187. */
function fileNameIn(disposition: string | null): string {
  const [, encoded = ''] =
    /^attachment; filename\*=UTF-8''([\w!#$&+.^`|~%-]*)$/.exec(disposition ?? '') ?? [];
  return decodeURIComponent(encoded);
}

test('A download URL gives the file with the type that was asked for', async () => {
  const { attachments } = await uploaded();
  const response = await fetch(await attachments.downloadUrl(key, file));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect(await response.text()).toBe('hello');
});

test.each([
  ['quotes, a line break and letters of two scripts', 'na"ïve\n文件.pdf'],
  ['everything that ends a parameter', `a";'()*%22, b\\c=/.txt\r\nset-cookie: x=1`],
  ['an emoji', '👩‍👩‍👧 family.jpg'],
])('A download URL names the file although its name has %s', async (_, name) => {
  const { attachments } = await uploaded();
  const response = await fetch(await attachments.downloadUrl(key, { ...file, name }));
  expect(fileNameIn(response.headers.get('content-disposition'))).toBe(name);
  expect(response.headers.get('set-cookie')).toBeNull();
  expect(await response.text()).toBe('hello');
});

test('A download URL names a file whose name is not valid Unicode as nearly as possible', async () => {
  const { attachments } = await uploaded();
  const url = await attachments.downloadUrl(key, { ...file, name: 'half \ud83d.pdf' });
  const response = await fetch(url);
  expect(fileNameIn(response.headers.get('content-disposition'))).toBe('half \ufffd.pdf');
});

test('A download URL is refused once its time is over', async () => {
  const { objects, attachments } = await uploaded(new Date(Date.now() - 5 * minute - 1_000));
  const expired = await fetch(await attachments.downloadUrl(key, file));
  expect(await refusal(expired)).toBe('403 AccessDenied: Request has expired');
  const earlier = await objects.of('acme', 'attachments', new Date(Date.now() - 4 * minute));
  expect((await fetch(await earlier.downloadUrl(key, file))).status).toBe(200);
});

test.each<[string, (url: string) => string]>([
  ['another name', (url) => url.replace('report.pdf', 'report.exe')],
  ['another type', (url) => url.replace('application%2Fpdf', 'text%2Fhtml')],
])('A download URL is refused when it was altered to give %s', async (_, altered) => {
  const { attachments } = await uploaded();
  const url = await attachments.downloadUrl(key, file);
  expect(altered(url)).not.toBe(url);
  expect(await refusal(await fetch(altered(url)))).toContain('403 SignatureDoesNotMatch');
});

test.each([
  ['eu-central-1', 'https://bucket-1.s3.eu-central-1.amazonaws.com'],
  ['us-gov-west-1', 'https://bucket-1.s3.us-gov-west-1.amazonaws.com'],
  ['cn-north-1', 'https://bucket-1.s3.cn-north-1.amazonaws.com.cn'],
])('In the region %s, the bucket is at %s', async (AWS_REGION, origin) => {
  const credentials = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };
  const provide = provideAttachments({ BUCKET_NAME: 'bucket-1', AWS_REGION, ...credentials });
  expect(new URL(await provide(invocationScope('acme')).downloadUrl(key, file)).origin).toBe(origin);
});

test('An export is downloaded as the JSON text that was zipped', async () => {
  const exports = await objectsOfTest().of('acme', 'exports');
  const text = JSON.stringify({ names: Array.from({ length: 1_000 }, () => 'Ünïcode 👩‍👩‍👧') });
  await exports.put('contact-1/01J.json', gzipSync(text));
  const url = await exports.downloadUrl('contact-1/01J.json', {
    name: 'contact.json',
    type: 'application/json',
    seconds: 300,
  });
  const response = await fetch(url);
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(fileNameIn(response.headers.get('content-disposition'))).toBe('contact.json');
  expect(await response.text()).toBe(text);
});

test('An export is of its organization alone', async () => {
  const objects = objectsOfTest();
  await (await objects.of('acme', 'exports')).put('contact-1/01J.json', gzipSync('{}'));
  const rival = await objects.of('rival', 'exports');
  const url = await rival.downloadUrl('contact-1/01J.json', file);
  expect((await fetch(url)).status).toBe(404);
});
