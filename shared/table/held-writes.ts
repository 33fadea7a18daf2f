import { isCorrectable } from '../kernel/failure.ts';
import type { Answer, RunWrites } from '../kernel/ports.ts';
import { failedCondition } from './dynamodb-actions.ts';
import type { KeyRecord } from './key-record.ts';
import { type Action, transactionLimit, VersionConflict } from './table.ts';

/** A condition that failed when the run that relied on it had gone on. */
export interface FailedAction {
  /** Of the record. */
  readonly key: string;
  readonly existing: unknown;
}

interface Held {
  readonly actions: readonly Action[];
  /** Whether the effect is still to come. */
  readonly isAhead: boolean;
  send(all: readonly Action[]): Promise<void>;
}

export interface HeldWrites extends RunWrites {
  /** Commits what is held, with the response of the run. */
  finish(answer: Answer): Promise<void>;
  /** Ends a run that failed. @returns its error, or that of what it had committed last. */
  abandon(error: unknown): Promise<unknown>;
  /** Set if the run must be repeated, because a condition failed after it had gone on. */
  readonly failed: FailedAction | undefined;
}

/**
 * Holds the first commit of a run until its response is known, so that both are stored in one transaction, even if something was written
 * ahead of it: the key is taken with that. A run that asks or writes anything after its first commit has it committed then, and the key
 * taken with it. From there on its writes happen at once, and the response is stored at the end.
 * @param earlier the conditions that failed in the runs before: the actions of the same records fail once more, so that the run can respond
 *   to the last one, knowing the others.
 */
export function heldWrites(record: KeyRecord, earlier: readonly FailedAction[] = []): HeldWrites {
  let held: Held | undefined;
  let known = earlier;
  let failed: FailedAction | undefined;
  let isTaken = false;
  let hasCommitted = false;
  let stop: { readonly error: unknown } | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other: operations write several records at once. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const turn = last.then(() => {
      if (stop !== undefined) {
        // Nothing that is tried again within the run would succeed.
        throw new Error('The run has ended', { cause: stop.error });
      }
      return work();
    });
    last = turn.catch(() => undefined);
    return turn;
  }

  async function sendHeld(more: readonly Action[]): Promise<void> {
    const sent = held;
    held = undefined;
    try {
      await sent?.send([...sent.actions, ...more].map(noting));
    } catch (error) {
      stop = { error };
      throw error;
    }
  }

  const noting = (action: Action): Action => ({
    ...action,
    otherwise(existing) {
      failed = { key: keyOf(action), existing };
      return failedCondition(action.otherwise, existing);
    },
  });

  async function take(): Promise<void> {
    try {
      await record.takeNow();
      isTaken = true;
    } catch (error) {
      failed = error instanceof VersionConflict ? { key: '', existing: undefined } : undefined;
      stop = { error };
      throw error;
    }
  }

  async function goOn(): Promise<void> {
    if (held !== undefined) {
      const { isAhead } = held;
      await sendHeld(isTaken ? [] : [record.take()]);
      isTaken = true;
      hasCommitted ||= !isAhead;
    }
  }

  /** A request that was refused leaves its key free. One that failed may have written: the next equal one goes on with its run. */
  async function leave(error: unknown): Promise<void> {
    if (isTaken) {
      await (isCorrectable(error) ? record.free() : record.endRun());
    }
  }

  return {
    runId: record.runId,

    get failed() {
      return failed;
    },

    async commit(actions, send, isAhead) {
      const own = { actions, send, isAhead } as unknown as Held;
      let isSent = false;
      await inTurn(async () => {
        await goOn();
        const errors = known.flatMap(({ key, existing }) => {
          const { otherwise } = own.actions.find((action) => keyOf(action) === key) ?? {};
          return otherwise === undefined ? [] : failedCondition(otherwise, existing);
        });
        if (errors.length > 0) {
          known = [];
          throw errors.at(-1);
        }
        if (!isTaken && actions.length >= transactionLimit) {
          await take();
        }
        if (isTaken && (isAhead || hasCommitted || actions.length >= transactionLimit)) {
          isSent = true;
          hasCommitted ||= !isAhead;
        } else {
          held = own;
        }
      });
      if (isSent) {
        await send(actions);
      }
    },

    before: (kind) =>
      inTurn(async () => {
        await goOn();
        if (kind === 'write' && !isTaken) {
          await take();
        }
      }),

    finish: (answer) =>
      inTurn(async () => {
        const prepared = await record.prepare(answer);
        if (held !== undefined) {
          await sendHeld([isTaken ? record.answerAction(prepared) : record.take(prepared)]);
        } else if (isTaken) {
          await record.answer(prepared);
        } else {
          await record.takeNow(prepared).catch((error: unknown) => {
            failed = error instanceof VersionConflict ? { key: '', existing: undefined } : undefined;
            throw error;
          });
        }
      }),

    async abandon(error) {
      if (stop !== undefined) {
        // The transaction whose response was lost has perhaps stored the answer: then the key is not free, and stays.
        await leave(stop.error).catch(() => undefined);
        return stop.error;
      }
      try {
        // What it commits and then refuses, such as the count of wrong passwords, needs no key.
        await inTurn(() => sendHeld([]));
        await leave(error);
      } catch (other) {
        return other;
      }
      return error;
    },
  };
}

/** The record that an action is about. */
function keyOf({ request }: Action): string {
  const { Put, Update, Delete, ConditionCheck } = request as Record<
    string,
    { readonly Key?: object; readonly Item?: { readonly pk: string; readonly sk: string } }
  >;
  const { pk, sk } = (Put?.Item ?? Update?.Key ?? Delete?.Key ?? ConditionCheck?.Key ?? {}) as {
    readonly pk?: string;
    readonly sk?: string;
  };
  return `${pk} ${sk}`;
}
