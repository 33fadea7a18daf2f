import { unavailable } from '../../shared/kernel/transient-errors.ts';
import {
  type CommandName,
  conflict,
  type Fault,
  type FaultyTable,
  replyLost,
  throttled,
} from '../contacts/faulty-table.ts';

const commands: readonly CommandName[] = [
  'GetItemCommand',
  'BatchGetItemCommand',
  'PutItemCommand',
  'UpdateItemCommand',
  'TransactWriteItemsCommand',
  'BatchWriteItemCommand',
  'QueryCommand',
];

/** The process ends before a request arrives, or before the reply to it does. */
const ended = () => Object.assign(new Error('The process ended'), { name: 'ProcessEnded' });
const endedBefore: Fault = async () => {
  throw ended();
};
export const endedAfter: Fault = async (next) => {
  await next();
  throw ended();
};

/** All attempts of the client were throttled: what it throws in the end, without its pauses. */
const throttledThroughout: Fault = async () => {
  throw unavailable(new Error('Rate exceeded'));
};

/** A fault of one request. */
interface RequestFault {
  readonly fault: Fault;
  /** Whether all later requests fail, too, because the process has ended. */
  readonly isEnd?: boolean;
  /** Whether only writes can meet it. */
  readonly isOfWrites?: boolean;
}

const requestFaults: Readonly<Record<string, RequestFault>> = {
  'is throttled': { fault: throttled },
  'meets a conflict': { fault: conflict, isOfWrites: true },
  'is done, and its reply is lost': { fault: replyLost },
  'does not arrive, because the process ends': { fault: endedBefore, isEnd: true },
  'is done, and the process ends before the reply': { fault: endedAfter, isEnd: true, isOfWrites: true },
};

const noFault: RequestFault = { fault: (next) => next() };

const isWrite = (command: CommandName) => /Write|Put|Update/.test(command);

/** Counts the requests to the table, and has the one with this number fail. @returns the commands in their order. */
function failRequest(
  table: FaultyTable,
  number: number,
  { fault, isEnd = false }: RequestFault,
): readonly CommandName[] {
  const sent: CommandName[] = [];
  for (const command of commands) {
    table.always(command, (next, input) => {
      const count = sent.push(command);
      if (count === number) {
        return fault(next, input);
      }
      return isEnd && count > number ? endedBefore(next, input) : next();
    });
  }
  return sent;
}

/**
 * Has one read fail each time it is armed: the first that has not failed yet, of those alike each by itself. What a failed read interrupts
 * is done again, so all reads of a work can fail in turn, without a beginning for each.
 */
function failEachRead(table: FaultyTable) {
  const failed = new Set<string>();
  let hasFailed = false;
  return {
    arm(): void {
      hasFailed = false;
      const counts = new Map<string, number>();
      for (const command of commands) {
        table.always(command, (next, input) => {
          if (isWrite(command)) {
            return next();
          }
          // Some ids are new each time.
          const asked = `${command} ${JSON.stringify(input).replace(/[0-9A-Z]{26}/g, '')}`;
          const count = (counts.get(asked) ?? 0) + 1;
          counts.set(asked, count);
          const read = `${asked} ${count}`;
          if (hasFailed || failed.has(read)) {
            return next();
          }
          failed.add(read);
          hasFailed = true;
          return throttledThroughout(next);
        });
      }
    },
    hasFailed: () => hasFailed,
  };
}

/**
 * Does the work once without a fault, then once for each of its requests and each fault of that request. After a fault it does the work
 * again, as streams, queues and the clock do.
 * @param begin prepares the data that the work is about.
 * @param outcome reads the result, which must be the same each time.
 * @param requireFollowUp checks, after work in which a request failed has ended without an error, that it is done or will be done again.
 * @param isEveryRead whether each read meets each fault, and not only throttling until the client gives up, and each write throttling
 * once. The client itself repeats what was throttled once; and where the process ends before a read, the table is as the write before it
 * left it, which is the same as where the process ends after that write.
 * @returns how often the work was done.
 */
export async function withEveryFault<Begun>(
  table: FaultyTable,
  {
    begin,
    work,
    outcome,
    sameOutcome,
    requireFollowUp,
    isEveryRead = false,
  }: {
    begin(): Promise<Begun>;
    work(begun: Begun): Promise<unknown>;
    outcome(begun: Begun): Promise<unknown>;
    sameOutcome(found: unknown, expected: unknown, when: string): void;
    requireFollowUp?(begun: Begun, result: unknown): Promise<void>;
    isEveryRead?: boolean;
  },
): Promise<number> {
  const workWithFaults = async (begun: Begun) => {
    const ended = await work(begun).then(
      (result) => ({ result }),
      () => undefined,
    );
    table.clear();
    await (ended && requireFollowUp?.(begun, ended.result));
  };
  const attempt = async (begun: Begun, number: number, fault: RequestFault) => {
    const sent = failRequest(table, number, fault);
    await workWithFaults(begun);
    return sent;
  };
  const usual = await begin();
  const sent = await attempt(usual, 0, noFault);
  const expected = await outcome(usual);
  let times = 1;
  for (const [name, fault] of Object.entries(requestFaults)) {
    if (!isEveryRead && fault.fault === throttled) {
      continue;
    }
    const isOfReads = isEveryRead && fault.isOfWrites !== true;
    for (const [index, command] of sent.entries()) {
      if (!isOfReads && !isWrite(command)) {
        continue;
      }
      const begun = await begin();
      await attempt(begun, index + 1, fault);
      await work(begun);
      times += 1;
      sameOutcome(await outcome(begun), expected, `when request ${index + 1} (${command}) ${name}`);
    }
  }
  const begun = await begin();
  const failRead = failEachRead(table);
  let turns = 0;
  do {
    turns += 1;
    if (turns > 100) {
      throw new Error('Reads never end');
    }
    failRead.arm();
    await workWithFaults(begun);
  } while (failRead.hasFailed());
  sameOutcome(await outcome(begun), expected, 'when each read is throttled until the client gives up');
  return times + 1;
}
