import { expect, test } from 'vitest';
import { deliverBatch } from '../../infra/local/stream/stream-batch.ts';
import type { StreamRecord as DeliveredRecord } from '../../infra/local/stream/stream-records.ts';
import type { StreamPlan } from '../../infra/local/template/plan.ts';
import {
  type ServedStreamOperation,
  type StreamEvent,
  serveStream,
} from '../../shared/kernel/serve/serve-stream.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';

type StreamRecord = StreamEvent['Records'][number];

/** Changes `INSERT NOTE#1`, `REMOVE CONTACT#2` …, numbered in their order from 101. */
function records(...changes: string[]): StreamRecord[] {
  return changes.map((change, at) => {
    const [eventName = '', sort = ''] = change.split(' ');
    return {
      eventName,
      dynamodb: {
        SequenceNumber: String(101 + at),
        ApproximateCreationDateTime: Date.now() / 1000,
        Keys: { pk: { S: 'ORG#acme' }, sk: { S: sort } },
        ...(eventName === 'INSERT' && { NewImage: { data: { S: JSON.stringify({ of: sort }) } } }),
      },
    };
  });
}

const sortOf = ({ dynamodb }: StreamRecord) => dynamodb?.Keys?.sk?.S;

interface Told extends ServedStreamOperation {
  /** The sort keys of each run. */
  readonly runs: string[][];
}

/** An operation that remembers what it was told; it fails whenever `bad` is among that. */
function told(name: string, change: 'INSERT' | 'REMOVE', sortPrefix: string, bad?: string): Told {
  const runs: string[][] = [];
  const operation = streamOperation({
    reader: 'background',
    on: { change, sortPrefix },
    summary: 'Remember changes',
    uses: {},
    async run(changes) {
      const sorts = changes.map(({ sort }) => sort);
      runs.push(sorts);
      if (bad !== undefined && sorts.includes(bad)) {
        throw new Error(`${bad} cannot be taken`);
      }
    },
  });
  return { name, operation, providers: {}, runs };
}

function reader(...operations: Told[]) {
  const lines: Record<string, unknown>[] = [];
  const log = (line: Record<string, unknown>) => void lines.push(line);
  const handle = serveStream(operations, { clock: () => new Date(), random: Math.random, log });
  return { lines, handle: (given: StreamRecord[]) => handle({ Records: given }) };
}

test('Each operation gets exactly the changes that it asks for, in their order', async () => {
  const [notes, sweeping, everything] = [
    told('notes', 'INSERT', 'NOTE#'),
    told('sweeping', 'REMOVE', 'NOTE#'),
    told('everything', 'INSERT', ''),
  ];
  const { handle } = reader(notes, sweeping, everything);
  const answer = await handle(
    records('INSERT NOTE#2', 'INSERT CALL#1', 'REMOVE NOTE#2', 'MODIFY NOTE#3', 'INSERT NOTE#1'),
  );
  expect(answer).toEqual({ batchItemFailures: [] });
  expect(notes.runs).toEqual([['NOTE#2', 'NOTE#1']]);
  expect(sweeping.runs).toEqual([['NOTE#2']]);
  expect(everything.runs).toEqual([['NOTE#2', 'CALL#1', 'NOTE#1']]);
});

test('An operation that no change concerns is not run, and says nothing', async () => {
  const [notes, calls] = [told('notes', 'INSERT', 'NOTE#'), told('calls', 'INSERT', 'CALL#')];
  const { handle, lines } = reader(notes, calls);
  await handle(records('INSERT NOTE#1', 'INSERT NOTE#2'));
  expect(calls.runs).toEqual([]);
  expect(lines).toMatchObject([{ level: 'info', operation: 'notes', changes: 2 }]);
});

test('An operation that fails stops no other; the batch comes again from the first change that it got', async () => {
  const [notes, calls] = [told('notes', 'INSERT', 'NOTE#'), told('calls', 'INSERT', 'CALL#', 'CALL#2')];
  const { handle, lines } = reader(calls, notes);
  const answer = await handle(records('INSERT NOTE#1', 'INSERT CALL#1', 'INSERT CALL#2', 'INSERT NOTE#2'));
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '102' }] });
  expect(notes.runs).toEqual([['NOTE#1', 'NOTE#2']]);
  expect(lines).toHaveLength(2);
  expect(lines).toContainEqual(expect.objectContaining({ level: 'info', operation: 'notes', changes: 2 }));
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 'error',
      operation: 'calls',
      changes: 2,
      defect: expect.objectContaining({ message: 'CALL#2 cannot be taken' }),
    }),
  );
});

test('When several operations fail, the earliest failed change says from where the batch is delivered again', async () => {
  const bad = [told('calls', 'INSERT', 'CALL#', 'CALL#1'), told('tasks', 'INSERT', 'TASK#', 'TASK#1')];
  const { handle } = reader(told('notes', 'INSERT', 'NOTE#'), ...bad);
  const answer = await handle(records('INSERT NOTE#1', 'INSERT TASK#1', 'INSERT CALL#1'));
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '102' }] });
});

test('A batch that begins with what could not be taken is thrown back, in the name of who failed', async () => {
  const [notes, calls] = [told('notes', 'INSERT', 'NOTE#'), told('calls', 'INSERT', 'CALL#', 'CALL#2')];
  const { handle } = reader(notes, calls);
  await expect(handle(records('INSERT CALL#1', 'INSERT NOTE#1', 'INSERT CALL#2'))).rejects.toThrow(
    /^calls could not take this batch$/,
  );
  expect(notes.runs).toEqual([['NOTE#1']]);
});

test('A change that cannot be read fails those only that ask for it', async () => {
  const [notes, calls] = [told('notes', 'INSERT', 'NOTE#'), told('calls', 'INSERT', 'CALL#')];
  const { handle } = reader(notes, calls);
  const [first, second] = records('INSERT NOTE#1', 'INSERT CALL#1');
  const unreadable = {
    ...second,
    dynamodb: { ...second?.dynamodb, NewImage: { data: { S: 'not JSON' } } },
  } as StreamRecord;
  expect(await handle([first as StreamRecord, unreadable])).toEqual({
    batchItemFailures: [{ itemIdentifier: '102' }],
  });
  expect([notes.runs, calls.runs]).toEqual([[['NOTE#1']], []]);
});

test('Through retries in halves the bad change alone is given up, everything else is taken, and each in order', async () => {
  const [notes, calls] = [told('notes', 'INSERT', 'NOTE#'), told('calls', 'INSERT', 'CALL#', 'CALL#5')];
  const { handle } = reader(notes, calls);
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const batch = records(...numbers.flatMap((number) => [`INSERT NOTE#${number}`, `INSERT CALL#${number}`]));
  const givenUp: (string | undefined)[][] = [];
  await deliverBatch(batch as DeliveredRecord[], {
    plan: {
      MaximumRetryAttempts: 2,
      MaximumRecordAgeInSeconds: -1,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    } as unknown as StreamPlan,
    invoke: (some) => handle(some as StreamRecord[]),
    pause: async () => undefined,
    onProgress: async () => undefined,
    onFailure: async (some) => void givenUp.push((some as StreamRecord[]).map(sortOf)),
    now: Date.now,
  });
  expect(givenUp).toEqual([['CALL#5']]);

  const inOrder = (of: string) => numbers.map((number) => `${of}#${number}`);
  expect(notes.runs[0]).toEqual(inOrder('NOTE'));
  const taken = calls.runs.filter((run) => !run.includes('CALL#5')).flat();
  expect(taken).toEqual(inOrder('CALL').filter((sort) => sort !== 'CALL#5'));
  // What was taken before the first failure does not come again.
  expect(notes.runs.flat().filter((sort) => sort === 'NOTE#1')).toHaveLength(1);
  expect(calls.runs.filter((run) => run.includes('CALL#5')).length).toBeGreaterThan(3);
});
