import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clients, listMappings, localClients } from '../../infra/redrive.ts';
import { eventually } from '../harness/eventually.ts';
import { type Running, startFixture } from './fixture/running.ts';

let running: Running;
let clients: Clients;
/** The bucket for failed batches. */
let bucket: string;
beforeAll(async () => {
  running = await startFixture();
  clients = localClients(running.host.redriveEndpoints);
  const mappings = await listMappings(clients.lambda, 'FixtureApi');
  bucket = mappings.flatMap(({ destination = [] }) => destination)[0]?.replace('arn:aws:s3:::', '') ?? '';
});
afterAll(async () => {
  clients.s3.destroy();
  clients.lambda.destroy();
  await running.stop();
});

/** How often the consumer has got a job. */
const times = async (job: string) => Number((await running.read(`seen#${job}`))?.times?.N ?? 0);
const seen = (job: string) => eventually(async () => (await times(job)) || undefined);

interface FailureRecord {
  requestContext: { condition: string; approximateInvokeCount: number };
  DDBStreamBatchInfo: { batchSize: number; startSequenceNumber: string; endSequenceNumber: string };
  payload: string;
}

async function failureOf(job: string): Promise<FailureRecord> {
  const { streamRecord } = await eventually(() => running.read(`seen#${job}`));
  const { SequenceNumber } = JSON.parse(streamRecord?.S ?? '');
  return eventually(async () =>
    (await failures()).find(
      ({ DDBStreamBatchInfo }) => DDBStreamBatchInfo.endSequenceNumber === SequenceNumber,
    ),
  );
}

/** What lies in the bucket for failed batches. */
async function failures(): Promise<FailureRecord[]> {
  const { Contents = [] } = await clients.s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  return Promise.all(
    Contents.map(async ({ Key }) => {
      expect(Key).toMatch(
        /^aws\/lambda\/[\w-]+\/[\w-]+\/\d{4}\/\d\d\/\d\d\/\d{4}-\d\d-\d\dT\d\d\.\d\d\.\d\d-[\da-f-]{36}$/,
      );
      const { Body } = await clients.s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
      return JSON.parse((await Body?.transformToString()) ?? '');
    }),
  );
}

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

test('A function that fails gets the batch again, then in halves, and at last only the bad record is given up', async () => {
  const jobs = ['job#a1', 'job#a2', 'job#poison', 'job#a3', 'job#a4'];
  await Promise.all(jobs.map((job) => running.put(job)));
  const failure = await failureOf('job#poison');
  expect(failure).toMatchObject({
    version: '1.0',
    requestContext: { condition: 'RetryAttemptsExhausted', approximateInvokeCount: 3 },
    DDBStreamBatchInfo: { batchSize: 1 },
  });
  expect(JSON.parse(failure.payload)).toMatchObject({
    Records: [{ eventSource: 'aws:dynamodb', dynamodb: { Keys: { pk: { S: 'job#poison' } } } }],
  });
  await Promise.all(jobs.map(seen));
  expect(await times('job#poison')).toBeGreaterThanOrEqual(3);
});

test('A function that fails and names the record gets no other one again before it', async () => {
  const jobs = ['job#b1', 'job#partial', 'job#b2'];
  for (const job of jobs) {
    await running.put(job);
  }
  await failureOf('job#partial');
  await seen('job#b2');
  expect(await times('job#b1')).toBe(1);
  expect(await times('job#partial')).toBeGreaterThanOrEqual(3);
});

test('A function that fails does not hold up what comes later', async () => {
  await running.put('job#poison-again');
  await running.put('job#later');
  await failureOf('job#poison-again');
  expect(await seen('job#later')).toBeGreaterThanOrEqual(1);
});
