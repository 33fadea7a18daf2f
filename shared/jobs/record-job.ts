import { chunks } from '../kernel/chunks.ts';
import type { Stored, TableReader } from '../table/table.ts';
import {
  type Counts,
  jobExpiry,
  laterResultRange,
  noCounts,
  type ResultKind,
  type ResultRow,
  resultKey,
  type Stop,
} from './job.ts';
import type { RevertStatus } from './job-statuses.ts';
import type { JobType, SliceContext, SliceReport } from './job-type.ts';
import {
  jobEffects,
  type RecordContext,
  type RecordOutcome,
  revertEffects,
  runRecord,
} from './run-record.ts';

/** A record that a job works through. */
export interface JobRecord {
  /** Its place among the records, which rises: the line in the file, or the number of the contact. */
  readonly row: number;
  readonly contactId?: string;
}

interface RecordJob<Input, Item extends JobRecord> {
  /** Whether it undoes what a job has done. */
  readonly isRevert?: true;
  readonly endsAs?: JobType<Input>['endsAs'];
  /** How many records there are. Asked once, before the first. */
  total(context: SliceContext<Input>): Promise<number>;
  /** The records after this row, in the order of their rows; 0 for all. Not read to its end when the time is up. */
  read(context: SliceContext<Input>, after: number): AsyncIterable<Item>;
  /**
   * Works on one record. It is called again for a record whose process ended before its commit. What it returns counts if it has committed
   * nothing.
   */
  run(item: Item, record: RecordContext<Input>): Promise<RecordOutcome | undefined>;
  /** A reason whose results are counted. */
  readonly countedReason?: string;
  /** What the job came to; asked once, after the last record. `reasoned` results have the reason that is counted. */
  finish?(
    context: SliceContext<Input>,
    counts: ResultCounts,
    reasoned: number,
  ): Promise<Readonly<Record<string, unknown>> | undefined>;
}

type ResultCounts = Counts & Partial<Record<RevertStatus, number>>;

interface Progress {
  readonly after: number;
  readonly counts: ResultCounts;
  readonly reasoned?: number;
  /** To how many records each user was assigned. */
  readonly assigned: Readonly<Record<string, number>>;
}

/** Records on which a slice works at the same time. */
const width = 4;

/** Results of records that are left out which are stored at once. */
const skippedAtOnce = 100;

/**
 * Jobs that work through records one by one. Each record has a result, which is added in the transaction of its change: so it is changed
 * once, however often a slice is repeated.
 */
export function recordJob<Input, Item extends JobRecord>(type: RecordJob<Input, Item>): JobType<Input> {
  return {
    ...(type.endsAs && { endsAs: type.endsAs }),
    async runSlice(context) {
      const { job, table, stop } = context;
      const {
        after,
        counts: before,
        assigned: were,
        reasoned: reasonedBefore = 0,
      } = (context.state as Progress | undefined) ?? {
        ...{ after: 0, assigned: {} },
        counts: { ...noCounts, total: await type.total(context) },
      };
      const known = await readResults(table, job._id, after, type.isRevert && 'REVERT');
      if (known.size > 0) {
        // The slice whose process ended may have hidden events.
        context.noteHidden({ kind: 'organization' });
      }
      const work = { type, context, after, known };
      const { counted, last, isDone } = await (stop === undefined
        ? runRecords(work)
        : skipRecords(work, stop));
      const counts = added(before, counted);
      const assigned = { ...were };
      for (const userId of counted.flatMap(({ notified = [] }) => notified)) {
        assigned[userId] = (assigned[userId] ?? 0) + 1;
      }
      const { countedReason } = type;
      const reasoned =
        reasonedBefore +
        counted.filter(({ reason }) => reason !== undefined && reason === countedReason).length;
      const result = isDone ? await type.finish?.(context, counts, reasoned) : undefined;
      return {
        ...(!type.isRevert && { counts }),
        state: { after: last, counts, assigned, ...(reasoned > 0 && { reasoned }) } satisfies Progress,
        assigned,
        isDone,
        result,
      } satisfies SliceReport;
    },
  };
}

interface Work<Input, Item extends JobRecord> {
  readonly type: RecordJob<Input, Item>;
  readonly context: SliceContext<Input>;
  readonly after: number;
  /** The results of a slice that was not ended. */
  readonly known: ReadonlyMap<number, Stored<ResultRow>>;
}

interface Worked {
  /** The results of all rows after the first and up to the `last`. */
  readonly counted: readonly ResultRow[];
  readonly last: number;
  readonly isDone: boolean;
}

/** Works on records while there is time. @throws if one must be tried again later; those that were begun are finished. */
async function runRecords<Input, Item extends JobRecord>({
  type,
  context,
  after,
  known,
}: Work<Input, Item>): Promise<Worked> {
  const items = type.read(context, after)[Symbol.asyncIterator]();
  const counted: ResultRow[] = [];
  let last = after;
  let isDone = false;
  let hasFailed = false;

  const worker = async () => {
    while (!isDone && !hasFailed && (await context.mayGoOn())) {
      const next = await items.next();
      if (next.done) {
        isDone = true;
        return;
      }
      const item = next.value;
      last = Math.max(last, item.row);
      const stored = known.get(item.row);
      if (stored !== undefined && !stored.data.isOpen) {
        counted.push(stored.data);
        continue;
      }
      await context.takeTurn();
      await context.tellOfHidden();
      const effects = type.isRevert ? revertEffects : jobEffects;
      counted.push(await runRecord(context, effects, item, stored, (record) => type.run(item, record)));
    }
  };
  const guardedWorker = () =>
    worker().catch((error: unknown) => {
      hasFailed = true;
      throw error;
    });
  const workers = await Promise.allSettled(Array.from({ length: width }, guardedWorker));
  await items.return?.();
  for (const one of workers) {
    if (one.status === 'rejected') {
      throw one.reason;
    }
  }
  return { counted, last, isDone };
}

/** Leaves out what the job has not reached, with the reason as the result of each. */
async function skipRecords<Input, Item extends JobRecord>(
  { type, context, after, known }: Work<Input, Item>,
  { reason }: Stop,
): Promise<Worked> {
  const { job, table } = context;
  const rows: ResultRow[] = [];
  let isDone = true;
  for await (const { row, contactId } of type.read(context, after)) {
    if (!(await context.mayGoOn())) {
      isDone = false;
      break;
    }
    const { isOpen: _, ...result }: ResultRow = known.get(row)?.data ?? {
      ...{ row, status: 'skipped', reason },
      ...(contactId && { contactId }),
    };
    rows.push(result);
  }
  if (type.isRevert) {
    // What it has not reached can be reverted by another one.
    return { counted: [], last: after, isDone: true };
  }
  const expiresAt = jobExpiry(job);
  for (const some of chunks(rows, skippedAtOnce)) {
    await table.putMany(some.map((data) => ({ key: resultKey(job._id, data.row), data, expiresAt })));
  }
  return { counted: rows, last: rows.at(-1)?.row ?? after, isDone };
}

async function readResults(
  table: TableReader,
  jobId: string,
  after: number,
  kind?: ResultKind,
): Promise<Map<number, Stored<ResultRow>>> {
  const stored = await table.list(laterResultRange(jobId, after, kind));
  return new Map(stored.map((one) => [one.data.row, one]));
}

/** The counts with those of further results. */
function added(before: ResultCounts, results: readonly ResultRow[]): ResultCounts {
  const counts = { ...before };
  for (const { status } of results) {
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}
