import { AlreadyDone, type DueEntry, endStep } from '../../../shared/due/due-entry.ts';
import type { Deadline } from '../../../shared/kernel/deadline.ts';
import type { DueOperations } from '../../../shared/kernel/due-operations.ts';
import { second } from '../../../shared/kernel/time.ts';
import { joined } from '../../../shared/table/key.ts';
import type { Stored, TableWriter } from '../../../shared/table/table.ts';
import { breaker } from './breaker.ts';
import { putOff } from './put-off.ts';
import { dueReader, type TimeRange } from './reading.ts';
import { inTurns, queueOf } from './turns.ts';

/** Users for whom something is done at the same time. All that is for one user changes the same counters, and is done in order. */
const width = 25;

/** Milliseconds before the deadline from which a run begins nothing new: what is being done, and its cursor, take less. */
const reserve = second;

export interface Clock {
  readonly platform: TableWriter<'platform'>;
  readonly dueOperations: DueOperations;
  readonly deadline: Deadline;
  readonly now: Date;
}

/** What one run does of a part. */
export interface Round {
  /** Does what is due in a range of time. @returns where what it had no time for begins; undefined if it tried all. */
  do(range: TimeRange): Promise<string | undefined>;
  /** How often each outcome was reached; `repeated` by another run. */
  readonly figures: Readonly<Record<string, number>>;
  /** The errors of what failed. */
  readonly failures: readonly unknown[];
}

type Due = Stored<DueEntry, 'platform'>;

export function newRound({ platform, dueOperations, deadline, now }: Clock, part: string): Round {
  const figures: Record<string, number> = {};
  const failures: unknown[] = [];
  const read = dueReader(platform, part, now);
  const { isBroken, succeeded, failed } = breaker();
  const isTimeUp = () => deadline.left() < reserve;
  const count = (outcome: string) => {
    figures[outcome] = (figures[outcome] ?? 0) + 1;
  };

  async function attempt(due: Due): Promise<void> {
    const { kind } = due.data;
    if (isBroken(kind)) {
      return;
    }
    try {
      const outcome = await dueOperations.run(due.data, endStep(platform, due));
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

  return {
    figures,
    failures,
    async do(range) {
      if (isTimeUp()) {
        return range.from;
      }
      const { entries, rest } = await read(range);
      const queue = queueOf(inTurns(entries));
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
      const left = queue.waiting.map(({ key }) => joined(key.sort));
      return [...left, ...(rest === undefined ? [] : [rest])].sort()[0];
    },
  };
}
