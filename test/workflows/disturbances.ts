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

/** What happens to one request. */
interface Disturbance {
  readonly fault: Fault;
  /** Whether all further requests fail, too: nobody is there any more. */
  readonly isEnd?: boolean;
  /** Whether it can happen to requests that write alone. */
  readonly isOfWrites?: boolean;
}

const disturbances: Readonly<Record<string, Disturbance>> = {
  'is throttled': { fault: throttled },
  'meets a conflict': { fault: conflict, isOfWrites: true },
  'is done, and its reply is lost': { fault: replyLost },
  'does not arrive, because the process ends': { fault: endedBefore, isEnd: true },
  'is done, and the process ends before the reply': { fault: endedAfter, isEnd: true, isOfWrites: true },
};

const undisturbed: Disturbance = { fault: (next) => next() };

const isWrite = (command: CommandName) => /Write|Put|Update/.test(command);

/** Counts the requests to the table, and disturbs the one with this number. @returns the commands in their order. */
function disturb(
  table: FaultyTable,
  number: number,
  { fault, isEnd = false }: Disturbance,
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
 * The process ends at the request with this number: before it arrives, or when it is done and the reply is not there yet.
 * @returns whether it came to that.
 */
export function endProcessAt(table: FaultyTable, number: number, isDone: boolean): () => boolean {
  const sent = disturb(table, number, { fault: isDone ? endedAfter : endedBefore, isEnd: true });
  return () => sent.length >= number;
}

/**
 * Does something once undisturbed, and then once for each of its requests and each disturbance of that; what was disturbed is done again,
 * as streams, queues and the clock do it.
 * @param begin arranges what it is done with.
 * @param outcome what has come of it in the end: the same each time.
 * @param isEveryRead whether reads are disturbed, too. The client repeats them, as if nothing had been; and where a process ends before
 * a read, the table is as the write before it left it, and so as where the process ends after that one.
 * @returns how often it was done.
 */
export async function tryAll<Begun>(
  table: FaultyTable,
  {
    begin,
    work,
    outcome,
    sameOutcome,
    isEveryRead = false,
  }: {
    begin(): Promise<Begun>;
    work(begun: Begun): Promise<unknown>;
    outcome(begun: Begun): Promise<unknown>;
    sameOutcome(found: unknown, expected: unknown, when: string): void;
    isEveryRead?: boolean;
  },
): Promise<number> {
  const disturbed = async (begun: Begun, number: number, disturbance: Disturbance) => {
    const sent = disturb(table, number, disturbance);
    await work(begun).catch(() => undefined);
    table.clear();
    return sent;
  };
  const usual = await begin();
  const sent = await disturbed(usual, 0, undisturbed);
  const expected = await outcome(usual);
  let times = 1;
  for (const [name, disturbance] of Object.entries(disturbances)) {
    const isOfReads = isEveryRead && disturbance.isOfWrites !== true;
    for (const [index, command] of sent.entries()) {
      if (!isOfReads && !isWrite(command)) {
        continue;
      }
      const begun = await begin();
      await disturbed(begun, index + 1, disturbance);
      await work(begun);
      times += 1;
      sameOutcome(await outcome(begun), expected, `when request ${index + 1} (${command}) ${name}`);
    }
  }
  return times;
}
