import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect, test } from 'vitest';
import { minute } from '../../shared/kernel/time.ts';
import { eventually } from '../harness/eventually.ts';
import { beginUpload, bucket, credentials, key, refusal, store } from './object-store-fixture.ts';

const putHello = new PutObjectCommand({ Bucket: bucket, Key: key, Body: 'hello' });
const getHello = new GetObjectCommand({ Bucket: bucket, Key: key });

async function storeWithHello(options: { ahead?: number } = {}) {
  const { dir, client } = await store();
  await client().send(putHello);
  const started = await store({ ...options, dir });
  const presigned = (expiresIn = 3600, command = getHello) =>
    getSignedUrl(started.client(), command, { expiresIn });
  return { ...started, presigned };
}

interface SentRequest {
  headers: Record<string, string>;
  body: unknown;
}

/** Has every request of the client changed on its way. */
function changeOnTheWay(s3: S3Client, change: (sent: SentRequest) => void): void {
  s3.middlewareStack.add(
    (next) => (args) => {
      change(args.request as SentRequest);
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'attacker' },
  );
}

test.each([
  [
    'a wrong secret',
    { credentials: { ...credentials, secretAccessKey: 'guessed' } },
    'SignatureDoesNotMatch',
  ],
  ['an unknown key id', { credentials: { ...credentials, accessKeyId: 'OTHER' } }, 'InvalidAccessKeyId'],
  ['another region', { region: 'us-east-1' }, 'AuthorizationHeaderMalformed'],
])('A signed request with %s is refused', async (_, config, name) => {
  const { client, fileCount } = await store();
  await expect(client(config).send(putHello)).rejects.toMatchObject({ name });
  expect(await fileCount()).toBe(0);
});

test('A signed request is refused when its clock is more than 15 minutes off', async () => {
  const { client } = await store({ ahead: 14 * minute });
  await expect(client().send(putHello)).resolves.toBeDefined();
  for (const ahead of [16 * minute, -16 * minute]) {
    const off = await store({ ahead });
    await expect(off.client().send(putHello)).rejects.toMatchObject({ name: 'RequestTimeTooSkewed' });
    expect(await off.fileCount()).toBe(0);
  }
});

test.each<[string, (sent: SentRequest) => void, string]>([
  [
    'a header is added',
    ({ headers }) => {
      headers['x-amz-meta-role'] = 'admin';
    },
    'AccessDenied',
  ],
  [
    'a header is changed',
    ({ headers }) => {
      headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
    },
    'SignatureDoesNotMatch',
  ],
  [
    'the signature is cut',
    ({ headers }) => {
      headers.authorization = String(headers.authorization).slice(0, -2);
    },
    'SignatureDoesNotMatch',
  ],
  [
    'the signature is gone',
    ({ headers }) => {
      delete headers.authorization;
    },
    'AccessDenied',
  ],
  [
    'its content is changed',
    (sent) => {
      sent.body = 'HELLO';
    },
    'XAmzContentSHA256Mismatch',
  ],
])('A signed request is refused when %s on the way', async (_, change, name) => {
  const { client, fileCount } = await store();
  const s3 = client();
  changeOnTheWay(s3, change);
  await expect(s3.send(putHello)).rejects.toMatchObject({ name });
  expect(await fileCount()).toBe(0);
});

test('A presigned URL reads the object, a range of it, and under the headers that it asks for', async () => {
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

test('A presigned URL that reads does not write', async () => {
  const { fileCount, presigned } = await storeWithHello();
  const readOnly = await fetch(await presigned(), { method: 'PUT', body: 'hello' });
  expect(await refusal(readOnly)).toContain('403 SignatureDoesNotMatch');
  expect(await fileCount()).toBe(1);
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
])('A presigned URL with %s is refused', async (_, change, expected) => {
  const { presigned } = await storeWithHello();
  const url = new URL(await presigned());
  change(url);
  expect(await refusal(await fetch(url))).toContain(expected);
});

test('A presigned URL is refused when a header that it does not cover comes with it', async () => {
  const { presigned } = await storeWithHello();
  const response = await fetch(await presigned(), { headers: { 'x-amz-checksum-mode': 'ENABLED' } });
  expect(await refusal(response)).toBe(
    '403 AccessDenied: There were headers present in the request which were not signed',
  );
});

test('A presigned URL lives as long as it says', async () => {
  const early = await storeWithHello({ ahead: 59 * minute });
  expect((await fetch(await early.presigned())).status).toBe(200);
  const late = await storeWithHello({ ahead: 61 * minute });
  expect(await refusal(await fetch(await late.presigned()))).toBe('403 AccessDenied: Request has expired');
  const future = await storeWithHello({ ahead: -16 * minute });
  expect(await refusal(await fetch(await future.presigned()))).toBe(
    '403 AccessDenied: Request is not valid yet',
  );
});

test('A presigned URL whose file name does not fit into a header is refused, as by S3', async () => {
  const { presigned } = await storeWithHello();
  const ResponseContentDisposition = 'attachment; filename="€.pdf"';
  const download = new GetObjectCommand({ Bucket: bucket, Key: key, ResponseContentDisposition });
  expect(await refusal(await fetch(await presigned(60, download)))).toBe(
    '400 InvalidArgument: Header value cannot be represented using ISO-8859-1.',
  );
});

test('An upload that breaks off leaves nothing behind', async () => {
  const { form, fileCount } = await store();
  const socket = beginUpload(await form());
  await eventually(async () => (await fileCount()) === 1);
  socket.destroy();
  await eventually(async () => (await fileCount()) === 0);
});
