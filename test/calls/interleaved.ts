import { AsyncLocalStorage } from 'node:async_hooks';
import type { CommandName, FaultyTable } from '../contacts/faulty-table.ts';

const commands: readonly CommandName[] = [
  'GetItemCommand',
  'BatchGetItemCommand',
  'QueryCommand',
  'PutItemCommand',
  'UpdateItemCommand',
  'TransactWriteItemsCommand',
];

/** Says which of two runs (0 or 1) may send its next request to the table, after so many requests of both. */
export type Schedule = (sent: number) => 0 | 1;

/** The first run sends `some` requests, the other one `others`, then the first ends, then the other. */
export function inTurns(first: 0 | 1, some: number, others: number): Schedule {
  const second = first === 0 ? 1 : 0;
  return (sent) => (sent >= some && sent < some + others ? second : first);
}

/** Either run is stopped at each of these requests, while the other one sends some, or all, of its own. */
export function everyTurns(stops: readonly number[]): readonly Schedule[] {
  // Who is stopped before the first request, or lets the other send none, only changes who is first.
  return ([0, 1] as const).flatMap((first) => [
    inTurns(first, 0, 0),
    ...stops.flatMap((some) => stops.map((others) => inTurns(first, some, others))),
  ]);
}

/** Lets two runs go on at once, one request to the table at a time, in the order of a schedule: whoever has ended leaves its turns. */
export async function interleaved<A, B>(
  table: FaultyTable,
  schedule: Schedule,
  runs: readonly [() => Promise<A>, () => Promise<B>],
): Promise<[A, B]> {
  const run = new AsyncLocalStorage<0 | 1>();
  const waiting: [(() => void)[], (() => void)[]] = [[], []];
  const ended = [false, false];
  let underWay = false;
  let changed = () => {};
  const change = () => new Promise<void>((resolve) => (changed = resolve));

  for (const command of commands) {
    table.always(command, async (next) => {
      const who = run.getStore();
      if (who === undefined) {
        return next();
      }
      await new Promise<void>((resolve) => {
        waiting[who].push(resolve);
        changed();
      });
      try {
        return await next();
      } finally {
        underWay = false;
        changed();
      }
    });
  }

  const started = <Result>(who: 0 | 1, one: () => Promise<Result>) =>
    run.run(who, one).finally(() => {
      ended[who] = true;
      changed();
    });
  const results = Promise.all([started(0, runs[0]), started(1, runs[1])]);
  let sent = 0;
  let turn = schedule(sent);
  while (!(ended[0] && ended[1])) {
    const who = ended[turn] ? (turn === 0 ? 1 : 0) : turn;
    const go = underWay ? undefined : waiting[who].shift();
    if (go === undefined) {
      await change();
    } else {
      underWay = true;
      go();
      sent += 1;
      turn = schedule(sent);
    }
  }
  table.clear();
  return results;
}
