import {
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Handles one attempt of the SDK in place of `next`, which sends it. */
export type Fault = (next: () => Promise<unknown>, input?: Record<string, unknown>) => Promise<unknown>;

/** The commands that the table sends. */
export type CommandName =
  | `${'GetItem' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'TransactWriteItems' | 'BatchWriteItem'}Command`
  | 'QueryCommand';

type Send = (this: DynamoDBDocumentClient, ...given: unknown[]) => Promise<unknown>;

/** Stands between the product's real client and the real database: below the SDK's own retries, so that they count too. */
export interface FaultyTable {
  /** The next tries of this command meet these faults, one each. */
  next(command: CommandName, ...faults: Fault[]): void;
  /** Every try of this command meets this fault. */
  always(command: CommandName, fault: Fault): void;
  /** The inputs of all tries of this command until now. */
  tries(command: CommandName): readonly Record<string, unknown>[];
  /** Forgets faults and tries. */
  clear(): void;
  restore(): void;
}

export function faultyTable(): FaultyTable {
  const queued = new Map<string, Fault[]>();
  const lasting = new Map<string, Fault>();
  const tried = new Map<string, Record<string, unknown>[]>();

  const clients = new Set<DynamoDBDocumentClient>();
  let isRestored = false;

  function standBehind(client: DynamoDBDocumentClient): void {
    clients.add(client);
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (isRestored) {
          return next(args);
        }
        const name = String(context.commandName);
        const input = args.input as object as Record<string, unknown>;
        const inputs = tried.get(name) ?? [];
        inputs.push(input);
        tried.set(name, inputs);
        const fault = queued.get(name)?.shift() ?? lasting.get(name);
        return fault === undefined ? next(args) : (fault(() => next(args), input) as ReturnType<typeof next>);
      },
      { step: 'finalizeRequest', priority: 'low', name: 'faults' },
    );
  }

  const client = DynamoDBDocumentClient.prototype as unknown as { send: Send };
  client.send = function (...given) {
    const { send } = Object.getPrototypeOf(client) as { send: Send };
    if (!clients.has(this)) {
      standBehind(this);
    }
    return send.apply(this, given);
  };

  return {
    next: (command, ...faults) => void queued.set(command, faults),
    always: (command, fault) => void lasting.set(command, fault),
    tries: (command) => [...(tried.get(command) ?? [])],
    clear() {
      for (const map of [queued, lasting, tried]) {
        map.clear();
      }
    },
    restore() {
      isRestored = true;
      Reflect.deleteProperty(client, 'send');
      for (const one of clients) {
        one.middlewareStack.remove('faults');
      }
      clients.clear();
      for (const map of [queued, lasting, tried]) {
        map.clear();
      }
    },
  };
}

const refused = { $metadata: { httpStatusCode: 400 } };

/** Another transaction is at work on the same items. */
export const conflict: Fault = async () => {
  throw new TransactionCanceledException({
    ...refused,
    message: 'Transaction cancelled, please refer cancellation reasons for specific reasons',
    CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }, { Code: 'ThrottlingError' }],
  });
};

/** The real refusal of a condition, with conflicts among its reasons. */
export const conflictBeside: Fault = async (next) => {
  try {
    return await next();
  } catch (error) {
    if (error instanceof TransactionCanceledException) {
      error.CancellationReasons = error.CancellationReasons?.map((reason) =>
        reason.Code === 'None' ? { Code: 'TransactionConflict' } : reason,
      );
    }
    throw error;
  }
};

/** A write of one item meets a transaction on it. */
export const conflictAlone: Fault = async () => {
  throw new TransactionConflictException({ ...refused, message: 'Transaction is ongoing for the item' });
};

/** The request is done, but its repetition finds it still at work. */
export const stillAtWork: Fault = async (next) => {
  await next();
  throw new TransactionInProgressException({ ...refused, message: 'The transaction is already in progress' });
};

export const throttled: Fault = async () => {
  throw new ProvisionedThroughputExceededException({ ...refused, message: 'Rate exceeded' });
};

/** The request never arrives. */
export const timedOut: Fault = async () => {
  throw Object.assign(new Error('Connection timed out'), { name: 'TimeoutError' });
};

/** The request arrives and is done; the connection breaks before the reply. */
export const replyLost: Fault = async (next) => {
  await next();
  throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
};
