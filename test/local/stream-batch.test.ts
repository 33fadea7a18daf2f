import { expect, test } from 'vitest';
import { type BatchDelivery, deliverBatch } from '../../infra/local/stream/stream-batch.ts';
import type { StreamRecord } from '../../infra/local/stream/stream-records.ts';
import type { StreamPlan } from '../../infra/local/template/plan.ts';

const start = Date.parse('2030-01-01T00:00:00Z');

function record(SequenceNumber: string, age = 0): StreamRecord {
  const dynamodb = { SequenceNumber, ApproximateCreationDateTime: start / 1000 - age };
  return { dynamodb } as StreamRecord;
}

/** Delivers records 1 to n to a function, and notes what happens in words. */
async function delivered(
  n: number,
  plan: Partial<StreamPlan>,
  answer: (batch: string[], attempt: number) => unknown,
  age = 0,
): Promise<string[]> {
  const events: string[] = [];
  const names = (records: StreamRecord[]) => records.map(({ dynamodb }) => dynamodb.SequenceNumber);
  let attempts = 0;
  const delivery: BatchDelivery = {
    plan: {
      MaximumRetryAttempts: -1,
      MaximumRecordAgeInSeconds: -1,
      BisectBatchOnFunctionError: false,
      FunctionResponseTypes: [],
      ...plan,
    } as unknown as StreamPlan,
    async invoke(records) {
      attempts += 1;
      events.push(`try ${names(records)}`);
      return answer(names(records), attempts);
    },
    pause: async () => undefined,
    async onProgress({ dynamodb }) {
      events.push(`done to ${dynamodb.SequenceNumber}`);
    },
    async onFailure(records, condition, tries) {
      events.push(`give up ${names(records)}: ${condition} after ${tries}`);
    },
    now: () => start,
  };
  const batch = Array.from({ length: n }, (_, at) => record(String(at + 1), age));
  await deliverBatch(batch, delivery);
  return events;
}

const failure = () => {
  throw new Error('This is meant to fail');
};
const failed = (...ids: unknown[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});
const reporting = { FunctionResponseTypes: ['ReportBatchItemFailures'] };

test('A batch that succeeds is done at once', async () => {
  expect(await delivered(2, {}, () => null)).toEqual(['try 1,2', 'done to 2']);
});

test('A batch that fails is tried again as often as the mapping says', async () => {
  expect(await delivered(2, { MaximumRetryAttempts: 1 }, failure)).toEqual([
    'try 1,2',
    'try 1,2',
    'give up 1,2: RetryAttemptsExhausted after 2',
    'done to 2',
  ]);
});

test('Without a limit a batch is tried until it succeeds', async () => {
  const events = await delivered(1, {}, (_batch, attempt) => (attempt < 20 ? failure() : null));
  expect(events).toHaveLength(21);
  expect(events.at(-1)).toBe('done to 1');
});

test('A batch that is bisected comes in halves, in order, and splitting it is not a retry', async () => {
  const answer = (batch: string[]) => (batch.includes('3') ? failure() : null);
  const plan = { MaximumRetryAttempts: 0, BisectBatchOnFunctionError: true };
  expect(await delivered(4, plan, answer)).toEqual([
    'try 1,2,3,4',
    'try 1,2',
    'done to 2',
    'try 3,4',
    'try 3',
    'give up 3: RetryAttemptsExhausted after 1',
    'done to 3',
    'try 4',
    'done to 4',
  ]);
});

test('What comes before the first record that is reported as failed is done', async () => {
  const answer = (_batch: string[], attempt: number) => (attempt === 1 ? failed('3', '2') : {});
  expect(await delivered(3, reporting, answer)).toEqual(['try 1,2,3', 'done to 1', 'try 2,3', 'done to 3']);
});

test.each([{ batchItemFailures: [] }, { batchItemFailures: null }, {}, null])(
  'The report %j means success',
  async (answer) => {
    expect(await delivered(1, reporting, () => answer)).toEqual(['try 1', 'done to 1']);
  },
);

test.each([failed('unknown'), failed(''), failed(null), { batchItemFailures: 'all' }])(
  'The report %j means failure of all of the batch',
  async (answer) => {
    const events = await delivered(2, { ...reporting, MaximumRetryAttempts: 0 }, () => answer);
    expect(events[1]).toBe('give up 1,2: RetryAttemptsExhausted after 1');
  },
);

test('A report counts for nothing when the mapping does not ask for one', async () => {
  expect(await delivered(2, {}, () => failed('2'))).toEqual(['try 1,2', 'done to 2']);
});

test('Records that are too old are given up after they have failed', async () => {
  expect(await delivered(1, { MaximumRecordAgeInSeconds: 60 }, failure, 61)).toEqual([
    'try 1',
    'give up 1: RecordAgeExceeded after 1',
    'done to 1',
  ]);
});
