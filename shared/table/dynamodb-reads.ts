import { BatchGetCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { Failure } from '../kernel/failure.ts';
import type { InvocationScope } from '../kernel/ports.ts';
import { unavailable } from '../kernel/transient-errors.ts';
import { type Backoff, retry } from './backoff.ts';
import { sortInCursor, toPage } from './cursor.ts';
import { type Item, primaryKeyIn, recordIn } from './dynamodb-items.ts';
import { type Connection, meterRequest } from './dynamodb-metering.ts';
import { joined, type Key, keyPrefix, liesIn, type Range, type Space } from './key.ts';
import type { SpacePrefix } from './spaces.ts';
import { type QueryOptions, type RawRow, type Stored, type TableReader, VersionConflict } from './table.ts';

interface ItemQuery extends QueryOptions {
  /** Begins after this sort key. */
  start?: string | undefined;
  /** The attributes to read; all unless stated. `#data` is `data`, a reserved word. */
  projection?: string;
}

/** Keys that were throttled, or did not fit into a response of 16 MB; those are requested again within milliseconds. */
const unprocessedBackoff: Backoff = { attempts: 10, first: 10, longest: 500 };

/** Reads one key space from DynamoDB. Every partition begins with `space`. */
export function dynamodbReader<S extends Space = 'organization'>(
  { client, tableName }: Connection,
  space: SpacePrefix<S>,
  invocation: Pick<InvocationScope, 'meter' | 'random' | 'deadline'>,
): TableReader<S> {
  const primaryKey = primaryKeyIn(space);

  const record = <Data>(item: Record<string, unknown>) => recordIn<Data, S>(space, item as Item);

  function query(range: Range<unknown, S>, { start, projection, ...options }: ItemQuery) {
    const pk = joined([...space, ...range.partition]);
    const { condition, values } = sortCondition(range);
    const command = new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: `pk = :pk${condition}`,
      ExpressionAttributeValues: { ':pk': pk, ...values },
      ScanIndexForward: !options.descending,
      ConsistentRead: options.consistent ?? false,
      ReturnConsumedCapacity: 'TOTAL',
      ...(options.limit === undefined ? {} : { Limit: options.limit }),
      ...(start === undefined ? {} : { ExclusiveStartKey: { pk, sk: start } }),
      ...(projection === undefined
        ? {}
        : { ProjectionExpression: projection, ExpressionAttributeNames: { '#data': 'data' } }),
    });
    return meterRequest(invocation, 'read', 'Query', () => client.send(command));
  }

  /** The items of a range, in batches of up to 1 MB. */
  async function* batches(range: Range<unknown, S>, { limit, ...options }: ItemQuery) {
    let { start } = options;
    let left = limit;
    do {
      const output = await query(range, {
        ...options,
        start,
        ...(left === undefined ? {} : { limit: left }),
      });
      const items = output.Items ?? [];
      yield items;
      left = left === undefined ? undefined : left - items.length;
      start = output.LastEvaluatedKey?.sk;
    } while (start !== undefined && (left === undefined || left > 0));
  }

  async function records<Data>(range: Range<Data, S>, options: ItemQuery): Promise<Stored<Data, S>[]> {
    const all: Stored<Data, S>[] = [];
    for await (const items of batches(range, options)) {
      all.push(...items.map(record<Data>));
    }
    return all;
  }

  return {
    organizationId: space[1] ?? '',

    async read<Data>(key: Key<Data, S>, { consistent = true } = {}) {
      const { Item: item } = await meterRequest(invocation, 'read', 'GetItem', () =>
        client.send(
          new GetCommand({
            TableName: tableName,
            Key: primaryKey(key),
            ConsistentRead: consistent,
            ReturnConsumedCapacity: 'TOTAL',
          }),
        ),
      );
      return item && record<Data>(item);
    },

    async readMany<Data>(keys: readonly Key<Data, S>[], { consistent = true } = {}) {
      const wanted = keys.map((key) => primaryKey(key));
      const found = new Map<string, Item>();
      let asked: Record<string, unknown>[] = [
        ...new Map(wanted.map((key) => [keyTextOf(key), key])).values(),
      ];
      const ask = async () => {
        const command = new BatchGetCommand({
          RequestItems: { [tableName]: { Keys: asked, ConsistentRead: consistent } },
          ReturnConsumedCapacity: 'TOTAL',
        });
        const output = await meterRequest(invocation, 'read', 'BatchGetItem', () => client.send(command));
        for (const item of (output.Responses?.[tableName] ?? []) as Item[]) {
          found.set(keyTextOf(item), item);
        }
        asked = output.UnprocessedKeys?.[tableName]?.Keys ?? [];
        if (asked.length > 0) {
          throw new Unprocessed(asked.length);
        }
      };
      if (asked.length > 0) {
        const { random, deadline } = invocation;
        await retry({ ...unprocessedBackoff, random, deadline }, ask, {
          isRetryable: (error) => error instanceof Unprocessed,
          exhausted: unavailable,
        });
      }
      return wanted.map((key) => {
        const item = found.get(keyTextOf(key));
        return item && record<Data>(item);
      });
    },

    list: (range, options = {}) => records(range, { consistent: true, ...options }),

    async page(range, { limit, cursor, isShown, ...order }) {
      const start = cursor === undefined ? undefined : sortInCursor(cursor, (sort) => liesIn(range, sort));
      // One record too many shows that there is a next page.
      const found = await records(range, { ...order, start, limit: limit + 1 });
      return toPage(found, { ...order, limit, isShown });
    },

    async *rows(range, options = {}) {
      for await (const items of batches(range, { ...options, projection: 'sk, #data' })) {
        yield items as unknown as RawRow[];
      }
    },

    optimistically: optimistically(invocation),
  };
}

class Unprocessed extends Error {
  constructor(keys: number) {
    super(`BatchGetItem left ${keys} keys unprocessed`);
    this.name = 'Unprocessed';
  }
}

const keyTextOf = ({ pk, sk }: { pk: string; sk: string }) => `${pk} ${sk}`;

function sortCondition({ under, between }: Range<unknown, Space>): {
  condition: string;
  values: Record<string, string>;
} {
  if (between !== undefined) {
    const { from, to } = between;
    return from === undefined
      ? { condition: ' AND sk <= :to', values: { ':to': to } }
      : { condition: ' AND sk BETWEEN :from AND :to', values: { ':from': from, ':to': to } };
  }
  return under === undefined
    ? { condition: '', values: {} }
    : { condition: ' AND begins_with(sk, :under)', values: { ':under': keyPrefix(under) } };
}

const backoff: Backoff = { attempts: 30, first: 5, longest: 250 };

/** The table's `optimistically`, for one invocation. */
const optimistically =
  ({ random, deadline }: Pick<InvocationScope, 'random' | 'deadline'>) =>
  <Result>(attempt: () => Promise<Result>): Promise<Result> =>
    retry({ ...backoff, random, deadline }, attempt, {
      isRetryable: (error) => error instanceof VersionConflict,
      exhausted: () =>
        new Failure('UNAVAILABLE', 'Too many changes to this record at once. Try again.', { retryAfter: 1 }),
    });
