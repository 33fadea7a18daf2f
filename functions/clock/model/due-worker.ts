import { AlreadyDone, type DueEntry, type DueKind, endAction } from '../../../shared/events/due-entry.ts';
import { sendDueMessage } from '../../../shared/events/due-message.ts';
import type { DueOperations } from '../../../shared/events/due-operation.ts';
import type { Deadline } from '../../../shared/kernel/deadline.ts';
import type { MessageQueue } from '../../../shared/kernel/message-queue.ts';
import { second, timestamp } from '../../../shared/kernel/time.ts';
import { joined } from '../../../shared/table/key.ts';
import type { Stored, TableWriter } from '../../../shared/table/table.ts';
import { dueReader, type SortKeyRange } from './due-reader.ts';
import { groupQueue, inFairOrder } from './fair-order.ts';
import { postpone } from './postpone.ts';

/** How many groups are worked on at the same time. Entries of one group change the same records, and are done in order. */
const width = 25;

/** Milliseconds before the deadline in which a run begins nothing new: enough to finish what is under way and to store the cursor. */
const reserve = second;

export interface Clock {
  readonly platform: TableWriter<'platform'>;
  readonly dueOperations: DueOperations;
  /** Delivers what is due before the next run, at its second. */
  readonly queue: MessageQueue;
  readonly deadline: Deadline;
  readonly now: Date;
}

/** How many entries of one group are done before all other groups had their turn, and then in each further turn. */
const ofOneGroup = { first: 100, later: 1_000 };

/** The rest of a range. */
export interface Rest {
  /** Where the entries begin for which there was no time; undefined if all were tried or passed over. */
  readonly left: string | undefined;
  /** The first entry that was passed over because its group had its turn; undefined if there is none. */
  readonly passedOver: string | undefined;
}

/** Does the work of one run in a part. */
export interface DueWorker {
  /** Does what is due in a range, of each group only the first entries; the ranges of a run share that limit. */
  do(range: SortKeyRange): Promise<Rest>;
  /** Does what was passed over, some entries of each group at a time, while there is time. */
  doPassedOver(ranges: readonly SortKeyRange[]): Promise<void>;
  /** How often each outcome was reached; `repeated` by another run. */
  readonly figures: Readonly<Record<string, number>>;
  /** The errors of what failed. */
  readonly failures: readonly unknown[];
}

type Due = Stored<DueEntry, 'platform'>;

export function newDueWorker(
  { platform, dueOperations, queue, deadline, now }: Clock,
  part: string,
): DueWorker {
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
    const { kind, at } = due.data;
    if (at > timestamp(now)) {
      // While the queue takes nothing, the next run does it.
      await sendDueMessage(queue, due.data, now).then(
        () => count('handedOver'),
        () => count('notHandedOver'),
      );
      return;
    }
    if (isBroken(kind)) {
      return;
    }
    try {
      const outcome = await dueOperations.run(due.data, endAction(platform, due));
      count(outcome);
      succeeded(kind);
    } catch (error) {
      if (error instanceof AlreadyDone || !(await postpone(platform, due, now))) {
        count('repeated');
      } else {
        failures.push(error);
        failed(kind);
      }
    }
  }

  async function doAll(entries: readonly Due[]): Promise<readonly Due[]> {
    const queue = groupQueue(inFairOrder(entries));
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

  async function doRange(read: ReturnType<typeof dueReader>, { from, to }: SortKeyRange): Promise<Rest> {
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
    async doPassedOver(ranges) {
      let open = ranges;
      while (open.length > 0 && !isTimeUp()) {
        const read = readerOf(ofOneGroup.later);
        const further: SortKeyRange[] = [];
        for (const range of open) {
          const { passedOver } = await doRange(read, range);
          further.push(...(passedOver === undefined ? [] : [{ from: passedOver, to: range.to }]));
        }
        open = further;
      }
    },
  };
}

/** Failures after which a run gives up a kind, if nothing of that kind has succeeded. */
const failuresToBreak = 25;

/** Leaves to later runs what fails whatever one tries, so that it takes no time from the rest. */
interface Breaker {
  isBroken(kind: DueKind): boolean;
  succeeded(kind: DueKind): void;
  failed(kind: DueKind): void;
}

/** No kind is broken at first, and one that has succeeded once never is. */
function breaker(): Breaker {
  const works = new Set<DueKind>();
  const failures = new Map<DueKind, number>();
  return {
    isBroken: (kind) => !works.has(kind) && (failures.get(kind) ?? 0) >= failuresToBreak,
    succeeded: (kind) => void works.add(kind),
    failed: (kind) => void failures.set(kind, (failures.get(kind) ?? 0) + 1),
  };
}
