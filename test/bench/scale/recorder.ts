import { type AttributeValue, type ConsumedCapacity, GetItemCommand } from '@aws-sdk/client-dynamodb';
import {
  type BatchWriteCommandInput,
  DynamoDBDocumentClient,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { itemBytes } from './item-bytes.ts';

type Item = Record<string, unknown>;

/** The units that one request consumed of one item, or of one partition in a query. */
export interface Use {
  readonly partition: string;
  /** The sort key; undefined for a query. */
  readonly sort: string | undefined;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly isTransaction: boolean;
}

export interface Recorder {
  /** Returns all use since the last call. */
  take(): Use[];
  /** Does some work without recording it, because the queries of the recorder take processor time, too. */
  without<Result>(work: () => Promise<Result>): Promise<Result>;
  restore(): void;
}

interface Request {
  readonly TableName?: string;
  readonly Key?: Item;
  readonly Item?: Item;
  readonly ExpressionAttributeValues?: Item;
  readonly ConsistentRead?: boolean;
  readonly RequestItems?: Record<string, unknown>;
  readonly TransactItems?: TransactWriteCommandInput['TransactItems'];
}

interface Command {
  readonly constructor: { readonly name: string };
  readonly input: Request;
}

type Send = (command: unknown) => Promise<Reply>;

interface Reply {
  readonly Item?: Record<string, AttributeValue>;
  readonly ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[];
}

const unit = 1_024;

/**
 * Records what every request of this process consumes of each partition key. The database returns only the units of a whole request:
 * those of each item are calculated from its size before and after.
 * @throws if they do not add up to those of the database.
 */
export function recordUse(): Recorder {
  let uses: Use[] = [];
  let isPaused = false;
  const { send } = Object.getPrototypeOf(DynamoDBDocumentClient.prototype) as { send: Send };
  const mock = mockClient(DynamoDBDocumentClient);
  mock.send.callsFake(async function (this: unknown, given: unknown) {
    const command = given as Command;
    const really: Send = (next) => send.call(this, next);
    if (isPaused) {
      return really(command);
    }
    const written = writtenBy(command);
    const before = await Promise.all(written.map((one) => sizeOf(really, one)));
    const reply = await really(command);
    const units = [reply.ConsumedCapacity ?? []]
      .flat()
      .reduce((sum, capacity) => sum + (capacity.CapacityUnits ?? 0), 0);
    if (written.length === 0) {
      uses.push(...readsOf(command, units));
      return reply;
    }
    const after = await Promise.all(written.map((one) => sizeOf(really, one)));
    const isTransaction = command.input.TransactItems !== undefined;
    const own = written.map(({ key }, index): Use => {
      const bytes = Math.max(before[index] ?? 0, after[index] ?? 0, 1);
      const writeUnits = Math.ceil(bytes / unit) * (isTransaction ? 2 : 1);
      return { ...keyIn(key), readUnits: 0, writeUnits, isTransaction };
    });
    const sum = own.reduce((total, { writeUnits }) => total + writeUnits, 0);
    if (sum !== units) {
      throw new Error(
        `${command.constructor.name} consumed ${units} write units, and its items ${sum}: ${own
          .map(({ partition, sort }) => `${partition} ${sort}`)
          .join(', ')}`,
      );
    }
    uses.push(...own);
    return reply;
  } as never);
  return {
    take() {
      const all = uses;
      uses = [];
      mock.resetHistory();
      return all;
    },
    async without(work) {
      isPaused = true;
      try {
        return await work();
      } finally {
        isPaused = false;
      }
    },
    restore: () => mock.restore(),
  };
}

interface Written {
  readonly table: string;
  readonly key: Item;
}

function writtenBy({ constructor: kind, input }: Command): Written[] {
  const { TableName: table = '' } = input;
  switch (kind.name) {
    case 'PutCommand':
      return [{ table, key: input.Item ?? {} }];
    case 'UpdateCommand':
    case 'DeleteCommand':
      return [{ table, key: input.Key ?? {} }];
    case 'TransactWriteCommand':
      return (input.TransactItems ?? []).map(({ Put, Update, Delete, ConditionCheck }) => {
        const one = Put ?? Update ?? Delete ?? ConditionCheck;
        return {
          table: one?.TableName ?? '',
          key: Put?.Item ?? Update?.Key ?? Delete?.Key ?? ConditionCheck?.Key ?? {},
        };
      });
    case 'BatchWriteCommand':
      return Object.entries(
        (input.RequestItems ?? {}) as NonNullable<BatchWriteCommandInput['RequestItems']>,
      ).flatMap(([of, writes]) =>
        writes.map(({ PutRequest, DeleteRequest }) => ({
          table: of,
          key: PutRequest?.Item ?? DeleteRequest?.Key ?? {},
        })),
      );
    default:
      return [];
  }
}

function readsOf({ constructor: kind, input }: Command, readUnits: number): Use[] {
  const use = { writeUnits: 0, isTransaction: false };
  switch (kind.name) {
    case 'GetCommand':
      return [{ ...use, ...keyIn(input.Key ?? {}), readUnits }];
    case 'QueryCommand':
      return [
        { ...use, partition: String(input.ExpressionAttributeValues?.[':pk']), sort: undefined, readUnits },
      ];
    case 'BatchGetCommand': {
      const requested = Object.values(input.RequestItems ?? {}) as { Keys?: Item[] }[];
      const keys = requested.flatMap(({ Keys = [] }) => Keys);
      return keys.map((key) => ({ ...use, ...keyIn(key), readUnits: readUnits / keys.length }));
    }
    default:
      throw new Error(`The recorder does not know ${kind.name}.`);
  }
}

const keyIn = ({ pk, sk }: Item) => ({ partition: String(pk), sort: String(sk) });

async function sizeOf(send: Send, { table, key: { pk, sk } }: Written): Promise<number> {
  const Key = marshall({ pk, sk });
  const { Item: item } = await send(new GetItemCommand({ TableName: table, Key, ConsistentRead: true }));
  return item === undefined ? 0 : itemBytes(item);
}
