import { spawn } from 'node:child_process';
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  PutObjectCommand,
  type PutObjectCommandInput,
  paginateListObjectsV2,
  type S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { bucket, credentials, halfUpload, newFolder, region, store } from './object-store-fixture.ts';

const put = (s3: S3Client, Key: string, Body: NonNullable<PutObjectCommandInput['Body']>, more = {}) =>
  s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ...more }));
const get = (s3: S3Client, Key: string, more: Partial<GetObjectCommandInput> = {}) =>
  s3.send(new GetObjectCommand({ Bucket: bucket, Key, ...more }));
async function textOf(s3: S3Client, Key: string, more: Partial<GetObjectCommandInput> = {}) {
  return (await get(s3, Key, more)).Body?.transformToString();
}

describe.each<[string, S3ClientConfig]>([
  ['with checksums, as it does by default', {}],
  ['without checksums', { requestChecksumCalculation: 'WHEN_REQUIRED' }],
  [
    'with the bucket in the host name',
    {
      forcePathStyle: false,
      // Browsers find every name under localhost on this machine; not every system's resolver does.
      requestHandler: {
        httpAgent: new Agent({ lookup: (_, options, found) => lookup('127.0.0.1', options, found) }),
      },
    },
  ],
])('a client that uploads %s', (_, settings) => {
  async function connected() {
    const { client, endpoint, ...rest } = await store();
    return { ...rest, s3: client({ endpoint: endpoint.replace('127.0.0.1', 'localhost'), ...settings }) };
  }

  test('finds its object again with everything it said about it', async () => {
    const { s3 } = await connected();
    const said = {
      ContentType: 'text/plain; charset=utf-8',
      ContentDisposition: 'attachment; filename="a.txt"',
      CacheControl: 'max-age=60',
      Metadata: { origin: 'test  case' },
    };
    const written = await put(s3, 'a.txt', 'hello', said);
    expect(written.ETag).toBe('"5d41402abc4b2a76b9719d911017c592"');
    const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'a.txt' }));
    expect(head).toMatchObject({ ...said, ContentLength: 5, ETag: written.ETag });
    expect(Date.now() - (head.LastModified?.getTime() ?? 0)).toBeLessThan(60_000);
    expect(await textOf(s3, 'a.txt')).toBe('hello');
  });

  test.each([0, 1, 3_000_000])(
    'gets %i bytes back unchanged, from a buffer and from a stream',
    async (size) => {
      const { s3 } = await connected();
      const content = Buffer.alloc(size, 'Switchboard');
      const pieces = Array.from({ length: Math.ceil(size / 70_001) }, (_, index) =>
        content.subarray(index * 70_001, (index + 1) * 70_001),
      );
      await put(s3, 'buffer', content);
      await put(s3, 'stream', Readable.from(pieces, { objectMode: false }), { ContentLength: size });
      for (const key of ['buffer', 'stream']) {
        const stored = await buffer((await get(s3, key)).Body as Readable);
        expect(stored.equals(content)).toBe(true);
      }
    },
  );

  test('keeps odd keys apart, and inside the store', async () => {
    const { s3, fileCount } = await connected();
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
      expect(await textOf(s3, key)).toBe(key);
    }
    expect(await fileCount()).toBe(keys.length);
    const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
    expect(Contents?.map(({ Key }) => Key).sort()).toEqual(keys.sort());
    await expect(put(s3, 'x'.repeat(1025), 'too long')).rejects.toMatchObject({ name: 'KeyTooLongError' });
  });
});

test.each(['CRC32', 'CRC32C', 'SHA1', 'SHA256'] as const)(
  'a %s checksum is kept for the reader',
  async (ChecksumAlgorithm) => {
    const s3 = (await store()).client();
    await put(s3, 'a', 'hello', { ChecksumAlgorithm });
    const field = `Checksum${ChecksumAlgorithm}`;
    const checksums = {
      ChecksumCRC32: 'NhCmhg==',
      ChecksumCRC32C: 'mnG7TA==',
      ChecksumSHA1: 'qvTGHdzF6KLavt4PO0gs2a6pQ00=',
      ChecksumSHA256: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
    };
    const stored = await get(s3, 'a', { ChecksumMode: 'ENABLED' });
    expect(stored).toMatchObject({ [field]: checksums[field as keyof typeof checksums] });
    expect(await stored.Body?.transformToString()).toBe('hello');
  },
);

test('a reader gets the range that it asks for', async () => {
  const s3 = (await store()).client();
  await put(s3, 'a', '0123456789');
  expect(await textOf(s3, 'a', { Range: 'bytes=2-4' })).toBe('234');
  expect(await textOf(s3, 'a', { Range: 'bytes=7-' })).toBe('789');
  expect(await textOf(s3, 'a', { Range: 'bytes=-2' })).toBe('89');
  const past = await get(s3, 'a', { Range: 'bytes=8-99' });
  expect(past).toMatchObject({ ContentRange: 'bytes 8-9/10', $metadata: { httpStatusCode: 206 } });
  await past.Body?.transformToString();
  await expect(get(s3, 'a', { Range: 'bytes=10-' })).rejects.toMatchObject({ name: 'InvalidRange' });
});

test('a reader who knows the object gets 304, one who expects another gets 412', async () => {
  const s3 = (await store()).client();
  const { ETag } = await put(s3, 'a', 'hello');
  const unchanged = get(s3, 'a', { IfNoneMatch: ETag });
  await expect(unchanged).rejects.toMatchObject({ $metadata: { httpStatusCode: 304 } });
  const other = get(s3, 'a', { IfMatch: '"other"' });
  await expect(other).rejects.toMatchObject({ name: 'PreconditionFailed' });
  expect(await textOf(s3, 'a', { IfMatch: ETag, IfNoneMatch: '"other"' })).toBe('hello');
});

test('of many writers who want to be the first, one is', async () => {
  const s3 = (await store()).client();
  const writers = Array.from({ length: 10 }, (_, index) =>
    put(s3, 'a', `writer ${index}`, { IfNoneMatch: '*' }),
  );
  const results = await Promise.allSettled(writers);
  const winners = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [`writer ${index}`] : []));
  expect(winners).toEqual([await textOf(s3, 'a')]);
});

test('a reader of an object that is replaced meanwhile gets the former one whole', async () => {
  const s3 = (await store()).client();
  const former = 'a'.repeat(5_000_000);
  await put(s3, 'a', former);
  const reading = await get(s3, 'a');
  await put(s3, 'a', 'new');
  expect(await reading.Body?.transformToString()).toBe(former);
  expect(await textOf(s3, 'a')).toBe('new');
});

test('a copy has the content and the metadata of its source, or new metadata', async () => {
  const s3 = (await store()).client();
  await put(s3, 'ä b', 'hello', { ContentType: 'text/plain', Metadata: { a: '1' } });
  const CopySource = `${bucket}/${encodeURIComponent('ä b')}`;
  const copy = { Bucket: 'archive', Key: 'copy', CopySource };
  const { CopyObjectResult } = await s3.send(new CopyObjectCommand(copy));
  expect(CopyObjectResult?.ETag).toBe('"5d41402abc4b2a76b9719d911017c592"');
  const kept = await get(s3, 'copy', { Bucket: 'archive' });
  expect(kept).toMatchObject({ ContentType: 'text/plain', Metadata: { a: '1' } });
  expect(await kept.Body?.transformToString()).toBe('hello');
  const replaced = { ...copy, MetadataDirective: 'REPLACE', Metadata: { b: '2' } } as const;
  await s3.send(new CopyObjectCommand(replaced));
  const head = await s3.send(new HeadObjectCommand({ Bucket: 'archive', Key: 'copy' }));
  expect(head.Metadata).toEqual({ b: '2' });
  const missing = new CopyObjectCommand({ ...copy, CopySource: `${bucket}/none` });
  await expect(s3.send(missing)).rejects.toMatchObject({ name: 'NoSuchKey' });
});

test('deleted objects are gone, one or many at once', async () => {
  const { client, fileCount } = await store();
  const s3 = client();
  const keys = ['a', 'b<&>\n"', 'c', 'd'];
  for (const key of keys) {
    await put(s3, key, key);
  }
  await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'a' }));
  await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'a' }));
  await expect(get(s3, 'a')).rejects.toMatchObject({ name: 'NoSuchKey', Key: 'a' });
  const Objects = ['b<&>\n"', 'c'].map((Key) => ({ Key }));
  const { Deleted } = await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
  expect(Deleted).toEqual(Objects);
  expect(await fileCount()).toBe(1);
});

test('a listing has folders, pages and a start', async () => {
  const s3 = (await store()).client();
  const keys = ['a', 'b/1', 'b/2', 'b/c/3', 'd/4', 'e', 'é'];
  for (const key of [...keys].reverse()) {
    await put(s3, key, key);
  }
  async function list(input: Partial<ListObjectsV2CommandInput>, pageSize: number) {
    const found: string[] = [];
    let pages = 0;
    for await (const page of paginateListObjectsV2({ client: s3, pageSize }, { Bucket: bucket, ...input })) {
      pages += 1;
      for (const { Prefix } of page.CommonPrefixes ?? []) {
        found.push(String(Prefix));
      }
      for (const { Key } of page.Contents ?? []) {
        found.push(String(Key));
      }
    }
    return { found, pages };
  }
  expect(await list({}, 1000)).toEqual({ found: keys, pages: 1 });
  expect(await list({}, 2)).toEqual({ found: keys, pages: 4 });
  expect(await list({ Delimiter: '/' }, 1)).toEqual({ found: ['a', 'b/', 'd/', 'e', 'é'], pages: 5 });
  expect(await list({ Delimiter: '/', Prefix: 'b/' }, 10)).toEqual({
    found: ['b/c/', 'b/1', 'b/2'],
    pages: 1,
  });
  expect(await list({ StartAfter: 'b/2' }, 2)).toEqual({ found: ['b/c/3', 'd/4', 'e', 'é'], pages: 2 });
  const wrong = s3.send(new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: '???' }));
  await expect(wrong).rejects.toMatchObject({ name: 'InvalidArgument' });
});

test('what does not exist is not found', async () => {
  const s3 = (await store()).client();
  await expect(s3.send(new HeadBucketCommand({ Bucket: bucket }))).resolves.toMatchObject({
    BucketRegion: 'eu-central-1',
  });
  const headBucket = s3.send(new HeadBucketCommand({ Bucket: 'other' }));
  await expect(headBucket).rejects.toMatchObject({ name: 'NotFound' });
  await expect(put(s3, 'a', 'a', { Bucket: 'other' })).rejects.toMatchObject({ name: 'NoSuchBucket' });
  await expect(put(s3, 'a', 'a', { Bucket: '..' })).rejects.toMatchObject({ name: 'NoSuchBucket' });
  await expect(put(s3, 'a', 'a', { Bucket: '.drafts' })).rejects.toMatchObject({ name: 'NoSuchBucket' });
  const head = s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'none' }));
  await expect(head).rejects.toMatchObject({ name: 'NotFound' });
});

test('what the store cannot do is refused, not passed over', async () => {
  const { client, fileCount } = await store();
  const refused = put(client(), 'a', 'a', { Tagging: 'a=b' });
  await expect(refused).rejects.toMatchObject({ name: 'NotImplemented' });
  expect(await fileCount()).toBe(0);
});

test('objects are there again after a stop', async () => {
  const dir = await newFolder();
  const first = await store({ dir });
  await put(first.client(), 'a', 'hello', { Metadata: { b: 'c' } });
  await first.stop();
  const second = await store({ dir });
  expect((await get(second.client(), 'a')).Metadata).toEqual({ b: 'c' });
  expect(await textOf(second.client(), 'a')).toBe('hello');
});

test('every answered write is there after a kill, a half one is not', async () => {
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
  await halfUpload(s3);
  await eventually(async () => (await readdir(join(dir, '.drafts'))).length === 1);
  child.kill('SIGKILL');
  await once(child, 'exit');

  const restarted = await store({ dir });
  for (const key of keys) {
    expect(await textOf(restarted.client(), key)).toBe(key);
  }
  expect(await restarted.fileCount()).toBe(keys.length);
});
