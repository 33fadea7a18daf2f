import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { type Running, startFixture } from './fixture/running.ts';

let dataDir: string;
let running: Running;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'streams-'));
  running = await startFixture({ dataDir });
});
afterAll(async () => {
  await running.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** How often the consumer has got a job. */
const times = async (job: string) => Number((await running.read(`seen#${job}`))?.times?.N ?? 0);
const seen = (job: string) => eventually(async () => (await times(job)) || undefined);

test('A change of the table reaches the function, in the form that Lambda gives it', async () => {
  await running.put('job#plain', { n: { N: '1.5' } });
  await seen('job#plain');
  const item = await running.read('seen#job#plain');
  expect(JSON.parse(item?.streamRecord?.S ?? '')).toMatchObject({
    ApproximateCreationDateTime: expect.any(Number),
    Keys: { pk: { S: 'job#plain' } },
    NewImage: { pk: { S: 'job#plain' }, n: { N: '1.5' } },
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  });
});

test('A change of the table that the filter leaves out does not', async () => {
  await running.put('other#1');
  await running.put('job#twice');
  await running.put('job#twice', { changed: { S: 'a MODIFY' } });
  await running.put('job#after');
  await seen('job#after');
  expect(await times('other#1')).toBe(0);
  expect(await times('job#twice')).toBe(1);
});

/** What lies in the bucket for failed batches. */
async function failures(): Promise<unknown[]> {
  const { credentials, functionEnvironment } = running.host;
  const endpoint = functionEnvironment('fixture-store').AWS_ENDPOINT_URL_S3 ?? '';
  const s3 = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true });
  const Bucket = (await readdir(join(dataDir, 'objects'))).find((name) => name.includes('failures'));
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'aws/lambda/' }));
  const texts = Contents.map(async ({ Key }) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    return Body?.transformToString();
  });
  return (await Promise.all(texts)).map((text) => JSON.parse(text ?? ''));
}

test('Of a batch that a function fails for, at last only the bad record is given up, and lies in the bucket', async () => {
  const jobs = ['job#a1', 'job#poison', 'job#a2'];
  await Promise.all(jobs.map((job) => running.put(job)));
  const [failure] = await eventually(async () => {
    const found = await failures();
    return found.length > 0 && found;
  });
  expect(failure).toMatchObject({
    version: '1.0',
    requestContext: { condition: 'RetryAttemptsExhausted', approximateInvokeCount: 3 },
    DDBStreamBatchInfo: { batchSize: 1 },
    payload: expect.stringContaining('job#poison'),
  });
  await Promise.all(jobs.map(seen));
});

test('A function that names the record that failed gets no other one again before it', async () => {
  for (const job of ['job#before', 'job#partial', 'job#behind']) {
    await running.put(job);
  }
  await eventually(async () => (await times('job#partial')) >= 3);
  await seen('job#behind');
  expect(await times('job#before')).toBe(1);
});
