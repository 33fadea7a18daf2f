import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { bucket, credentials, halfUpload, key, minute, refusal, store } from './object-store-fixture.ts';

const putHello = new PutObjectCommand({ Bucket: bucket, Key: key, Body: 'hello' });
const getHello = new GetObjectCommand({ Bucket: bucket, Key: key });

async function storeWithHello(options: { ahead?: number } = {}) {
  const { dir, client } = await store();
  await client().send(putHello);
  const started = await store({ ...options, dir });
  const presigned = (expiresIn = 3600, command = getHello) =>
    getSignedUrl(started.client({ requestChecksumCalculation: 'WHEN_REQUIRED' }), command, { expiresIn });
  return { ...started, presigned };
}

describe('a signed request', () => {
  test.each([
    [
      'a wrong secret',
      { credentials: { ...credentials, secretAccessKey: 'guessed' } },
      'SignatureDoesNotMatch',
    ],
    ['an unknown key id', { credentials: { ...credentials, accessKeyId: 'OTHER' } }, 'InvalidAccessKeyId'],
    ['another region', { region: 'us-east-1' }, 'AuthorizationHeaderMalformed'],
  ])('with %s is refused', async (_, config, name) => {
    const { client, fileCount } = await store();
    await expect(client(config).send(putHello)).rejects.toMatchObject({ name });
    expect(await fileCount()).toBe(0);
  });

  test('is refused when its clock is more than 15 minutes off', async () => {
    const { client } = await store({ ahead: 14 * minute });
    await expect(client().send(putHello)).resolves.toBeDefined();
    for (const ahead of [16 * minute, -16 * minute]) {
      const off = await store({ ahead });
      await expect(off.client().send(putHello)).rejects.toMatchObject({ name: 'RequestTimeTooSkewed' });
      expect(await off.fileCount()).toBe(0);
    }
  });

  test.each<[string, (headers: Record<string, string>) => void, string]>([
    [
      'a header is added',
      (headers) => {
        headers['x-amz-meta-role'] = 'admin';
      },
      'AccessDenied',
    ],
    [
      'a header is changed',
      (headers) => {
        headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      },
      'SignatureDoesNotMatch',
    ],
    [
      'the signature is cut',
      (headers) => {
        headers.authorization = String(headers.authorization).slice(0, -2);
      },
      'SignatureDoesNotMatch',
    ],
    [
      'the signature is gone',
      (headers) => {
        delete headers.authorization;
      },
      'AccessDenied',
    ],
  ])('is refused when %s on the way', async (_, change, name) => {
    const { client, fileCount } = await store();
    const s3 = client();
    s3.middlewareStack.add(
      (next) => (args) => {
        change((args.request as { headers: Record<string, string> }).headers);
        return next(args);
      },
      { step: 'finalizeRequest', priority: 'low', name: 'attacker' },
    );
    await expect(s3.send(putHello)).rejects.toMatchObject({ name });
    expect(await fileCount()).toBe(0);
  });

  test('is refused when its content is changed on the way', async () => {
    const { client, fileCount } = await store();
    const s3 = client();
    s3.middlewareStack.add(
      (next) => (args) => {
        (args.request as { body: unknown }).body = 'HELLO';
        return next(args);
      },
      { step: 'finalizeRequest', priority: 'low', name: 'attacker' },
    );
    await expect(s3.send(putHello)).rejects.toMatchObject({ name: 'XAmzContentSHA256Mismatch' });
    expect(await fileCount()).toBe(0);
  });

  test('is refused when its stream is shorter or longer than announced', async () => {
    const { client, fileCount } = await store();
    const silent = () => undefined;
    const s3 = client({ logger: { debug: silent, info: silent, warn: silent, error: silent } });
    for (const length of [4, 6]) {
      s3.middlewareStack.add(
        (next) => (args) => {
          const { headers } = args.request as { headers: Record<string, string> };
          headers['x-amz-decoded-content-length'] = String(length);
          return next(args);
        },
        { step: 'build', priority: 'low', name: 'liar', override: true },
      );
      const Body = Readable.from([Buffer.from('hello')]);
      const put = new PutObjectCommand({ Bucket: bucket, Key: key, Body, ContentLength: 5 });
      await expect(s3.send(put)).rejects.toMatchObject({ name: 'IncompleteBody' });
    }
    expect(await fileCount()).toBe(0);
  });

  test.each([
    ['a wrong MD5', { ContentMD5: createHash('md5').update('other').digest('base64') }, 'BadDigest'],
    ['an MD5 that is none', { ContentMD5: 'abc' }, 'InvalidDigest'],
    ['a wrong CRC32', { ChecksumCRC32: 'AAAAAA==' }, 'BadDigest'],
    ['a wrong SHA-256', { ChecksumSHA256: createHash('sha256').digest('base64') }, 'BadDigest'],
    ['a checksum that is none', { ChecksumSHA1: 'AAAA' }, 'InvalidRequest'],
  ])('is refused with %s', async (_, checksum, name) => {
    const { client, fileCount } = await store();
    const put = new PutObjectCommand({ Bucket: bucket, Key: key, Body: 'hello', ...checksum });
    await expect(client().send(put)).rejects.toMatchObject({ name });
    expect(await fileCount()).toBe(0);
  });
});

describe('a presigned URL', () => {
  test('reads the object, a range of it, and under the headers that it asks for', async () => {
    const { presigned } = await storeWithHello();
    const download = new GetObjectCommand({
      Bucket: bucket,
      Key: key,
      ResponseContentDisposition: `attachment; filename*=UTF-8''${encodeURIComponent('Größe.pdf')}`,
      ResponseContentType: 'application/pdf',
    });
    const url = await presigned(3600, download);
    const response = await fetch(url, { headers: { origin: 'https://example.com' } });
    expect(await response.text()).toBe('hello');
    expect(response.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''Gr%C3%B6%C3%9Fe.pdf",
    );
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const range = await fetch(url, { headers: { range: 'bytes=1-2' } });
    expect([range.status, await range.text()]).toEqual([206, 'el']);
  });

  test('writes an object, and nothing that its checksum does not fit', async () => {
    const { client, fileCount, presigned } = await storeWithHello();
    const Key = 'written';
    const s3 = client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
    const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket: bucket, Key, Metadata: { a: 'b' } }));
    expect((await fetch(url, { method: 'PUT', body: 'hello' })).status).toBe(200);
    const head = await client().send(new HeadObjectCommand({ Bucket: bucket, Key }));
    expect(head).toMatchObject({ ContentLength: 5, Metadata: { a: 'b' } });
    const ofNothing = await getSignedUrl(client(), new PutObjectCommand({ Bucket: bucket, Key: 'other' }));
    expect(await refusal(await fetch(ofNothing, { method: 'PUT', body: 'hello' }))).toContain('BadDigest');
    const readOnly = await fetch(await presigned(), { method: 'PUT', body: 'hello' });
    expect(await refusal(readOnly)).toContain('403 SignatureDoesNotMatch');
    expect(await fileCount()).toBe(2);
  });

  test.each<[string, (url: URL) => unknown, string]>([
    [
      'another key',
      (url) => {
        url.pathname += '2';
      },
      '403 SignatureDoesNotMatch',
    ],
    ['a longer life', (url) => url.searchParams.set('X-Amz-Expires', '7200'), '403 SignatureDoesNotMatch'],
    [
      'more than a week',
      (url) => url.searchParams.set('X-Amz-Expires', '604801'),
      '400 AuthorizationQueryParametersError: X-Amz-Expires must be less than a week',
    ],
    [
      'another signature',
      (url) => url.searchParams.set('X-Amz-Signature', '0'.repeat(64)),
      '403 SignatureDoesNotMatch',
    ],
    [
      'no signature',
      (url) => url.searchParams.delete('X-Amz-Signature'),
      '400 AuthorizationQueryParametersError',
    ],
    [
      'other response headers',
      (url) => url.searchParams.set('response-content-type', 'text/html'),
      '403 SignatureDoesNotMatch',
    ],
    [
      'no parameters at all',
      (url) => {
        url.search = '';
      },
      '403 AccessDenied: Access Denied',
    ],
  ])('with %s is refused', async (_, change, expected) => {
    const { presigned } = await storeWithHello();
    const url = new URL(await presigned());
    change(url);
    expect(await refusal(await fetch(url))).toContain(expected);
  });

  test('is refused when a header that it does not cover comes with it', async () => {
    const { presigned } = await storeWithHello();
    const response = await fetch(await presigned(), { headers: { 'x-amz-checksum-mode': 'ENABLED' } });
    expect(await refusal(response)).toBe(
      '403 AccessDenied: There were headers present in the request which were not signed',
    );
  });

  test('lives as long as it says', async () => {
    const early = await storeWithHello({ ahead: 59 * minute });
    expect((await fetch(await early.presigned())).status).toBe(200);
    const late = await storeWithHello({ ahead: 61 * minute });
    expect(await refusal(await fetch(await late.presigned()))).toBe('403 AccessDenied: Request has expired');
    const future = await storeWithHello({ ahead: -16 * minute });
    expect(await refusal(await fetch(await future.presigned()))).toBe(
      '403 AccessDenied: Request is not valid yet',
    );
  });

  test('whose file name does not fit into a header is refused, as by S3', async () => {
    const { presigned } = await storeWithHello();
    const ResponseContentDisposition = 'attachment; filename="€.pdf"';
    const download = new GetObjectCommand({ Bucket: bucket, Key: key, ResponseContentDisposition });
    expect(await refusal(await fetch(await presigned(60, download)))).toBe(
      '400 InvalidArgument: Header value cannot be represented using ISO-8859-1.',
    );
  });
});

test('a browser may ask first whether it may upload', async () => {
  const { endpoint } = await store();
  const status = await new Promise((resolve) => {
    const headers = { origin: 'https://example.com', 'access-control-request-method': 'POST' };
    request(`${endpoint}/${bucket}/a`, { method: 'OPTIONS', headers }, (response) => {
      resolve([response.statusCode, response.headers['access-control-allow-methods']]);
      response.resume();
    }).end();
  });
  expect(status).toEqual([200, 'POST, GET, HEAD']);
});

test('an upload that breaks off leaves nothing behind', async () => {
  const { client, fileCount } = await store();
  const socket = await halfUpload(client());
  await eventually(async () => (await fileCount()) === 1);
  socket.destroy();
  await eventually(async () => (await fileCount()) === 0);
});
