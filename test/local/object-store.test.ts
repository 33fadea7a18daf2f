import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { PresignedPostOptions } from '@aws-sdk/s3-presigned-post';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import {
  beginUpload,
  bucket,
  credentials,
  get,
  newFolder,
  put,
  readText,
  refusal,
  region,
  signedForm,
  store,
  upload,
} from './object-store-fixture.ts';

test.each(['WHEN_SUPPORTED', 'WHEN_REQUIRED'] as const)(
  'A client that adds checksums %s finds its object again with everything it said about it',
  async (requestChecksumCalculation) => {
    const s3 = (await store()).client({ requestChecksumCalculation });
    const said = {
      ContentType: 'text/plain; charset=utf-8',
      ContentDisposition: 'attachment; filename="a.txt"',
      CacheControl: 'max-age=60',
    };
    const written = await put(s3, 'a.txt', 'hello', said);
    expect(written.ETag).toBe('"5d41402abc4b2a76b9719d911017c592"');
    const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'a.txt' }));
    expect(head).toMatchObject({ ...said, ContentLength: 5, ETag: written.ETag });
    expect(Date.now() - (head.LastModified?.getTime() ?? 0)).toBeLessThan(60_000);
    expect(await readText(s3, 'a.txt')).toBe('hello');
  },
);

test('Odd keys are kept apart, and inside the store', async () => {
  const { client, fileCount } = await store();
  const s3 = client();
  const keys = [
    'a b+c',
    'a//b',
    'a/b',
    'a/b/',
    '../../b',
    'a/../b',
    '%2e%2e/b',
    "ä€😀&<'*()!~",
    'x'.repeat(1024),
  ];
  for (const key of keys) {
    await put(s3, key, key);
  }
  for (const key of keys) {
    expect(await readText(s3, key)).toBe(key);
  }
  expect(await fileCount()).toBe(keys.length);
  await expect(put(s3, 'x'.repeat(1025), 'too long')).rejects.toMatchObject({ name: 'KeyTooLongError' });
});

test.each([
  ['CRC32', 'NhCmhg=='],
  ['SHA256', 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ='],
] as const)('a %s checksum is kept for the reader', async (ChecksumAlgorithm, checksum) => {
  const s3 = (await store()).client();
  await put(s3, 'a', 'hello', { ChecksumAlgorithm });
  const stored = await get(s3, 'a', { ChecksumMode: 'ENABLED' });
  expect(stored).toMatchObject({ [`Checksum${ChecksumAlgorithm}`]: checksum });
  expect(await stored.Body?.transformToString()).toBe('hello');
});

test('A reader gets the range that it asks for', async () => {
  const s3 = (await store()).client();
  await put(s3, 'a', '0123456789');
  expect(await readText(s3, 'a', { Range: 'bytes=2-4' })).toBe('234');
  expect(await readText(s3, 'a', { Range: 'bytes=7-' })).toBe('789');
  expect(await readText(s3, 'a', { Range: 'bytes=-2' })).toBe('89');
  const past = await get(s3, 'a', { Range: 'bytes=8-99' });
  expect(past).toMatchObject({ ContentRange: 'bytes 8-9/10', $metadata: { httpStatusCode: 206 } });
  await past.Body?.transformToString();
  await expect(get(s3, 'a', { Range: 'bytes=10-' })).rejects.toMatchObject({ name: 'InvalidRange' });
});

test('A reader of an object that is replaced meanwhile gets all of the former one', async () => {
  const s3 = (await store()).client();
  const former = 'a'.repeat(5_000_000);
  await put(s3, 'a', former);
  const reading = await get(s3, 'a');
  await put(s3, 'a', 'new');
  expect(await reading.Body?.transformToString()).toBe(former);
  expect(await readText(s3, 'a')).toBe('new');
});

test('A deleted object is gone, even when it is deleted twice', async () => {
  const { client, fileCount } = await store();
  const s3 = client();
  await put(s3, 'a', 'a');
  await put(s3, 'b', 'b');
  await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'a' }));
  await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'a' }));
  await expect(get(s3, 'a')).rejects.toMatchObject({ name: 'NoSuchKey', Key: 'a' });
  expect(await fileCount()).toBe(1);
});

test('What does not exist is not found', async () => {
  const s3 = (await store()).client();
  await expect(put(s3, 'a', 'a', { Bucket: 'other' })).rejects.toMatchObject({ name: 'NoSuchBucket' });
  await expect(put(s3, 'a', 'a', { Bucket: '..' })).rejects.toMatchObject({ name: 'NoSuchBucket' });
  await expect(put(s3, 'a', 'a', { Bucket: '.drafts' })).rejects.toMatchObject({ name: 'NoSuchBucket' });
  const head = s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'none' }));
  await expect(head).rejects.toMatchObject({ name: 'NotFound' });
});

test('A listing has the objects under a prefix in the order of their keys', async () => {
  const { client } = await store();
  const s3 = client();
  for (const key of ['b/2', 'a/ü & <1>', 'b/1', 'c']) {
    await put(s3, key, key);
  }
  const keys = async (Prefix: string) => {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix }));
    return Contents.map(({ Key, Size }) => `${Key} ${Size}`);
  };
  expect(await keys('b/')).toEqual(['b/1 3', 'b/2 3']);
  expect(await keys('')).toEqual(['a/ü & <1> 10', 'b/1 3', 'b/2 3', 'c 1']);
  expect(await keys('d')).toEqual([]);
});

test.each<[string, (s3: S3Client) => Promise<unknown>]>([
  ['a listing in pages', (s3) => s3.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 }))],
  [
    'a copy with another type',
    (s3) =>
      s3.send(
        new CopyObjectCommand({
          Bucket: bucket,
          Key: 'b',
          CopySource: `${bucket}/a`,
          MetadataDirective: 'REPLACE',
        }),
      ),
  ],
  [
    'a copy in place of one object alone',
    (s3) =>
      s3.send(
        new CopyObjectCommand({ Bucket: bucket, Key: 'b', CopySource: `${bucket}/a`, IfMatch: '"other"' }),
      ),
  ],
  ['a version that is not the newest', (s3) => get(s3, 'a', { VersionId: '1' })],
  [
    'the deletion of many objects',
    (s3) => s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: [{ Key: 'a' }] } })),
  ],
  ['content in chunks', (s3) => put(s3, 'b', Readable.from([Buffer.from('b')]), { ContentLength: 1 })],
  ['another checksum', (s3) => put(s3, 'b', 'b', { ChecksumAlgorithm: 'SHA1' })],
  ['a hash of old clients', (s3) => put(s3, 'b', 'b', { ContentMD5: 'kutf/uauL+w61xx3dTFXjw==' })],
  ['metadata', (s3) => put(s3, 'b', 'b', { Metadata: { a: '1' } })],
  ['tags', (s3) => put(s3, 'b', 'b', { Tagging: 'a=b' })],
  ['a condition of a write', (s3) => put(s3, 'b', 'b', { IfNoneMatch: '*' })],
  ['a condition of a read', (s3) => get(s3, 'a', { IfMatch: '"other"' })],
])('What the store does not have is refused, not passed over: %s', async (_, request) => {
  const { client, fileCount } = await store();
  const silent = () => undefined;
  const s3 = client({ logger: { debug: silent, info: silent, warn: silent, error: silent } });
  await put(s3, 'a', 'a');
  await expect(request(s3)).rejects.toMatchObject({ name: 'NotImplemented' });
  expect(await fileCount()).toBe(1);
});

test.each<[string, Partial<PresignedPostOptions>]>([
  ['a redirect', { Fields: { success_action_redirect: 'https://example.com/done' } }],
  ['metadata', { Fields: { 'x-amz-meta-name': 'a' } }],
  ['the name of the file in its key', { Key: 'inbox/$' + '{filename}' }],
  ['values that begin alike', { Conditions: [['starts-with', '$Content-Type', 'image/']] }],
])('What the store does not have is refused in forms too: %s', async (_, options) => {
  const { form, fileCount } = await store();
  expect(await refusal(await upload(await form(options)))).toContain('501 NotImplemented');
  expect(await fileCount()).toBe(0);
});

test('Every write that got a response is there after a kill, a half one is not', async () => {
  const dir = await newFolder();
  const module = new URL('../../infra/local/object-store/store.ts', import.meta.url).href;
  const program = `
    const { startObjectStore } = await import(${JSON.stringify(module)});
    const options = ${JSON.stringify({ dir, buckets: [bucket], port: 0, credentials, region })};
    console.log((await startObjectStore(options)).endpoint);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [endpoint] = await once(createInterface(child.stdout), 'line');
  const s3 = (await store()).client({ endpoint });
  const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
  await Promise.all(keys.map((key) => put(s3, key, key)));
  beginUpload(await signedForm(s3));
  await eventually(async () => (await readdir(join(dir, '.drafts'))).length === 1);
  child.kill('SIGKILL');
  await once(child, 'exit');

  const restarted = await store({ dir });
  for (const key of keys) {
    expect(await readText(restarted.client(), key)).toBe(key);
  }
  expect(await restarted.fileCount()).toBe(keys.length);
});
