import { AlreadyDone, type DueEntry, endAction } from '../../../shared/due/due-entry.ts';
import type { Deadline } from '../../../shared/kernel/deadline.ts';
import type { DueOperations } from '../../../shared/kernel/due-operations.ts';
import { second } from '../../../shared/kernel/time.ts';
import { joined } from '../../../shared/table/key.ts';
import type { Stored, TableWriter } from '../../../shared/table/table.ts';
import { breaker } from './breaker.ts';
import { inFairOrder, queueOf } from './fair-order.ts';
import { putOff } from './put-off.ts';
import { dueReader, type TimeRange } from './reading.ts';

/** Groups of which something is done at the same time. All that is of one group changes the same records, and is done in order. */
const width = 25;

/** Milliseconds before the deadline from which a run begins nothing new: what is being done, and its cursor, take less. */
const reserve = second;

export interface Clock {
  readonly platform: TableWriter<'platform'>;
  readonly dueOperations: DueOperations;
  readonly deadline: Deadline;
  readonly now: Date;
}

/** Entries of one group that are done before those of all others were tried once, and then at a time. */
const ofOneGroup = { first: 100, later: 1_000 };

/** What is left of a range. */
export interface Rest {
  /** Where what there was no time for begins; undefined if all was tried, or passed over. */
  readonly left: string | undefined;
  /** Where what was passed over begins, because its group had others before; undefined if nothing was. */
  readonly passedOver: string | undefined;
}

/** What one run does of a part. */
export interface Round {
  /** Does what is due in a range of time, of each group only the first; ranges of the same run share that limit. */
  do(range: TimeRange): Promise<Rest>;
  /** Does what was passed over, of each group a part at a time, while there is time. */
  goOn(ranges: readonly TimeRange[]): Promise<void>;
  /** How often each outcome was reached; `repeated` by another run. */
  readonly figures: Readonly<Record<string, number>>;
  /** The errors of what failed. */
  readonly failures: readonly unknown[];
}

type Due = Stored<DueEntry, 'platform'>;

export function newRound({ platform, dueOperations, deadline, now }: Clock, part: string): Round {
  const figures: Record<string, number> = {};
  const failures: unknown[] = [];
  const { isBroken, succeeded, failed } = breaker();
  const isTimeUp = () => deadline.left() < reserve;
  const readerOf = (limit: number) => dueReader({ platform, part, now, isTimeUp }, limit);
  const readFirst = readerOf(ofOneGroup.first);
  const count = (outcome: string) => {
    figures[outcome] = (figures[outcome] ?? 0) + 1;
  };

  async function attempt(due: Due): Promise<void> {
    const { kind } = due.data;
    if (isBroken(kind)) {
      return;
    }
    try {
      const outcome = await dueOperations.run(due.data, endAction(platform, due));
      count(outcome);
      succeeded(kind);
    } catch (error) {
      if (error instanceof AlreadyDone || !(await putOff(platform, due, now))) {
        count('repeated');
      } else {
        failures.push(error);
        failed(kind);
      }
    }
  }

  async function doAll(entries: readonly Due[]): Promise<readonly Due[]> {
    const queue = queueOf(inFairOrder(entries));
    const worker = async () => {
      while (!isTimeUp()) {
        const due = queue.take();
        if (due === undefined) {
          return;
        }
        await attempt(due);
        queue.release(due);
      }
    };
    await Promise.all(Array.from({ length: width }, worker));
    return queue.waiting;
  }

  async function doRange(read: ReturnType<typeof dueReader>, { from, to }: TimeRange): Promise<Rest> {
    let passedOver: string | undefined;
    let next = from;
    while (!isTimeUp()) {
      const found = await read({ from: next, to });
      passedOver ??= found.passedOver;
      const waiting = (await doAll(found.entries)).map(({ key }) => joined(key.sort)).sort();
      if (waiting.length > 0 || found.rest === undefined) {
        return { left: waiting[0] ?? found.rest, passedOver };
      }
      next = found.rest;
    }
    return { left: next, passedOver };
  }

  return {
    figures,
    failures,
    do: (range) => doRange(readFirst, range),
    async goOn(ranges) {
      let open = ranges;
      while (open.length > 0 && !isTimeUp()) {
        const read = readerOf(ofOneGroup.later);
        const further: TimeRange[] = [];
        for (const range of open) {
          const { passedOver } = await doRange(read, range);
          further.push(...(passedOver === undefined ? [] : [{ from: passedOver, to: range.to }]));
        }
        open = further;
      }
    },
  };
}
