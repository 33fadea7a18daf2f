import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { startObjectStore } from '../../infra/local/object-store/store.ts';

// The examples of the S3 documentation: "Signature Calculations for the Authorization Header: Transferring Payload in
// Multiple Chunks", with and without trailing headers. Their credentials are examples as well.
const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const withoutTrailer = {
  hash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  signedHeaders:
    'content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class',
  signatures: [
    '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
    'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
    '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
    'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
  ],
  headers: {},
  end: '\r\n',
};
const withTrailer = {
  hash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  signedHeaders:
    'content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class;x-amz-trailer',
  signatures: [
    '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e',
    'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
    '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
    '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
  ],
  headers: { 'x-amz-trailer': 'x-amz-checksum-crc32c' },
  end: 'x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n',
};

let endpoint: string;
let agent: Agent;
let stored: () => Promise<Buffer>;

beforeEach(async () => {
  const buckets = ['examplebucket'];
  const region = 'us-east-1';
  const clock = () => new Date('2013-05-24T00:00:00Z');
  const store = await startObjectStore({ buckets, port: 0, credentials, region, clock });
  endpoint = store.endpoint;
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const s3 = new S3Client({
    endpoint,
    region,
    credentials,
    maxAttempts: 1,
    systemClockOffset: clock().getTime() - Date.now(),
  });
  const command = new GetObjectCommand({ Bucket: 'examplebucket', Key: 'chunkObject.txt' });
  stored = async () => Buffer.from((await (await s3.send(command)).Body?.transformToByteArray()) ?? []);
  onTestFinished(async () => {
    s3.destroy();
    agent.destroy();
    await store.stop();
  });
});

/** Sends 66,560 times the letter a in chunks of 64 KiB, 1 KiB and nothing; `change` is what happens on the way. */
async function send(example: typeof withoutTrailer, change: (body: string) => string = (body) => body) {
  const [seed, ...signatures] = example.signatures;
  const chunks = [65_536, 1024, 0].map((size, index) => {
    const end = size === 0 ? '' : `${'a'.repeat(size)}\r\n`;
    return `${size.toString(16)};chunk-signature=${signatures[index]}\r\n${end}`;
  });
  const body = change(`${chunks.join('')}${example.end}`);
  return new Promise<string>((resolve, reject) => {
    const headers = {
      host: 's3.amazonaws.com',
      'x-amz-date': '20130524T000000Z',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      'x-amz-content-sha256': example.hash,
      'content-encoding': 'aws-chunked',
      'x-amz-decoded-content-length': 66_560,
      'content-length': body.length,
      authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${example.signedHeaders},Signature=${seed}`,
      ...example.headers,
    };
    const url = `${endpoint}/examplebucket/chunkObject.txt`;
    request(url, { method: 'PUT', headers, setHost: false, agent }, (response) => {
      text(response).then((answer) => resolve(`${response.statusCode} ${answer}`), reject);
    })
      .on('error', reject)
      .end(body);
  });
}

test.each([
  ['alone', withoutTrailer],
  ['and in the trailer', withTrailer],
])('a body with signatures in its chunks %s is stored without them', async (_, example) => {
  expect(await send(example)).toBe('200 ');
  expect((await stored()).toString()).toBe('a'.repeat(66_560));
});

test.each<[string, typeof withoutTrailer, (body: string) => string, string]>([
  ['with a changed chunk', withoutTrailer, (body) => body.replace('aaaa', 'aaab'), 'SignatureDoesNotMatch'],
  ['with a forged chunk', withoutTrailer, (body) => body.replace('ad80', 'ad81'), 'SignatureDoesNotMatch'],
  ['with an unsigned chunk', withoutTrailer, (body) => body.replace(/;[^\r]*/, ''), 'SignatureDoesNotMatch'],
  ['with a changed trailer', withTrailer, (body) => body.replace('sOO8', 'sOO9'), 'SignatureDoesNotMatch'],
  ['without its trailer', withTrailer, (body) => body.replace(/x-amz-c.*/s, '\r\n'), 'MalformedTrailerError'],
  ['without its last chunk', withTrailer, (body) => body.replace(/0;.*/s, ''), 'IncompleteBody'],
  ['that ends in a chunk', withTrailer, (body) => body.slice(0, 50_000), 'IncompleteBody'],
  ['that is large and not in chunks', withTrailer, () => 'a'.repeat(5_000_000), 'IncompleteBody'],
  ['that is not in chunks', withoutTrailer, () => 'a'.repeat(66_824), 'IncompleteBody'],
])(
  'a body %s is refused, and the next one on the same connection is taken',
  async (_, example, change, code) => {
    // The length is signed as well: fill up what the change took, behind the end of the chunks.
    const full = (body: string) => (example === withoutTrailer ? change(body).padEnd(66_824) : change(body));
    const answer = await send(example, full);
    expect(answer).toContain(`<Code>${code}</Code>`);
    await expect(stored()).rejects.toMatchObject({ name: 'NoSuchKey' });
    expect(await send(example)).toBe('200 ');
  },
);
