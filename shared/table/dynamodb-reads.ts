import {
  type AttributeValue,
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import type { Meter } from '../kernel/ports.ts';
import { isPassing, unavailable } from '../kernel/transient-errors.ts';
import { type Packed, unpacked } from '../packing.ts';
import { cursorOf, sortOf } from './cursor.ts';
import { attributesOf, nativeOf } from './dynamodb-values.ts';
import type { Space } from './key.ts';
import { joined, type Key, partsOf, type Range } from './key.ts';
import type { SpacePrefix } from './spaces.ts';
import type { Page, QueryOptions, RawRow, Stored, TableReader } from './table.ts';

/** An item as it lies in the table. */
export interface Item {
  pk: string;
  sk: string;
  data?: Packed;
  version?: number;
  [attribute: string]: unknown;
}

export interface Connection {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}

interface Consumed {
  CapacityUnits?: number | undefined;
  ReadCapacityUnits?: number | undefined;
  WriteCapacityUnits?: number | undefined;
}

/** What every answer says of its price. */
export interface Metered {
  ConsumedCapacity?: Consumed | Consumed[] | undefined;
}

/** Sends one request, counts what it consumed, and turns what passes by itself into a 503. */
export async function metered<Output extends Metered>(
  meter: Meter,
  kind: 'read' | 'write',
  operation: string,
  send: () => Promise<Output>,
): Promise<Output> {
  const start = performance.now();
  let units = 0;
  try {
    const output = await send();
    units = [output.ConsumedCapacity ?? []]
      .flat()
      .reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
    return output;
  } catch (error) {
    throw isPassing(error) ? unavailable(error) : error;
  } finally {
    const end = performance.now();
    meter.record({
      operation,
      start,
      end,
      read: kind === 'read' ? units : 0,
      write: kind === 'write' ? units : 0,
    });
  }
}

/** Where in the table a record of the key space lies. */
export const primaryKeyIn =
  (space: readonly string[]) =>
  ({ partition, sort }: Key<unknown, Space>) => ({ pk: joined([...space, ...partition]), sk: joined(sort) });

/** Reads of one key space over DynamoDB. `space` stands in front of every partition. */
export function dynamodbReader<S extends Space = 'organization'>(
  { client, tableName }: Connection,
  space: SpacePrefix<S>,
  meter: Meter,
): TableReader<S> {
  const partitionKey = (partition: readonly string[]) => joined([...space, ...partition]);
  const primaryKey = primaryKeyIn(space);

  const stored = <Data>(item: Item): Stored<Data, S> => ({
    key: {
      partition: partsOf(item.pk).slice(space.length),
      sort: partsOf(item.sk),
    },
    data: item.data === undefined ? (undefined as Data) : unpacked<Data>(item.data),
    version: item.version ?? 0,
    attributes: item,
  });

  async function query(
    range: Range<unknown, S>,
    options: QueryOptions & { start?: string | undefined; projection?: string },
  ) {
    const pk = partitionKey(range.partition);
    const { condition, values } = sortCondition(range);
    return metered(meter, 'read', 'Query', () =>
      client.send(
        new QueryCommand({
          TableName: tableName,
          KeyConditionExpression: `pk = :pk${condition}`,
          ExpressionAttributeValues: attributesOf({ ':pk': pk, ...values }),
          ScanIndexForward: !options.descending,
          ConsistentRead: options.consistent ?? false,
          ReturnConsumedCapacity: 'TOTAL',
          ...(options.limit === undefined ? {} : { Limit: options.limit }),
          ...(options.start === undefined
            ? {}
            : { ExclusiveStartKey: attributesOf({ pk, sk: options.start }) }),
          ...(options.projection === undefined
            ? {}
            : { ProjectionExpression: options.projection, ExpressionAttributeNames: { '#data': 'data' } }),
        }),
      ),
    );
  }

  async function* batches(
    range: Range<unknown, S>,
    options: QueryOptions & { start?: string; projection?: string },
  ) {
    let start = options.start;
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    do {
      const output = await query(range, {
        ...options,
        start,
        ...(Number.isFinite(left) ? { limit: left } : {}),
      });
      const items = (output.Items ?? []).map(nativeOf);
      yield items;
      left -= items.length;
      start = output.LastEvaluatedKey?.sk?.S;
    } while (start !== undefined && left > 0);
  }

  return {
    organizationId: space[1] ?? '',

    async read<Data>(key: Key<Data, S>) {
      const { Item: item } = await metered(meter, 'read', 'GetItem', () =>
        client.send(
          new GetItemCommand({
            TableName: tableName,
            Key: attributesOf(primaryKey(key)),
            ConsistentRead: true,
            ReturnConsumedCapacity: 'TOTAL',
          }),
        ),
      );
      return item === undefined ? undefined : stored<Data>(nativeOf(item) as Item);
    },

    async readMany<Data>(keys: readonly Key<Data, S>[]) {
      const wanted = keys.map(primaryKey);
      const found = new Map<string, Item>();
      let asked: Record<string, AttributeValue>[] = [
        ...new Map(wanted.map((key) => [`${key.pk} ${key.sk}`, attributesOf(key)])).values(),
      ];
      while (asked.length > 0) {
        const output = await metered(meter, 'read', 'BatchGetItem', () =>
          client.send(
            new BatchGetItemCommand({
              RequestItems: { [tableName]: { Keys: asked, ConsistentRead: true } },
              ReturnConsumedCapacity: 'TOTAL',
            }),
          ),
        );
        const items = (output.Responses?.[tableName] ?? []).map(nativeOf) as Item[];
        for (const item of items) {
          found.set(`${item.pk} ${item.sk}`, item);
        }
        const unprocessed = output.UnprocessedKeys?.[tableName]?.Keys ?? [];
        if (unprocessed.length === asked.length) {
          throw unavailable(new Error('BatchGetItem processed none of the keys'));
        }
        asked = unprocessed;
      }
      return wanted.map(({ pk, sk }) => {
        const item = found.get(`${pk} ${sk}`);
        return item === undefined ? undefined : stored<Data>(item);
      });
    },

    async list<Data>(range: Range<Data, S>, options: QueryOptions = {}) {
      const all: Stored<Data, S>[] = [];
      for await (const items of batches(range, { consistent: true, ...options })) {
        for (const item of items) {
          all.push(stored<Data>(item as Item));
        }
      }
      return all;
    },

    async page<Data>(
      range: Range<Data, S>,
      options: QueryOptions & { limit: number; cursor?: string | undefined },
    ) {
      const { limit, cursor, ...order } = options;
      const start = cursor === undefined ? undefined : sortOf(cursor, (sort) => liesIn(range, sort));
      const records: Stored<Data, S>[] = [];
      // One more than asked tells whether there is a next page.
      for await (const items of batches(range, {
        ...order,
        limit: limit + 1,
        ...(start === undefined ? {} : { start }),
      })) {
        for (const item of items) {
          records.push(stored<Data>(item as Item));
        }
      }
      const last = records[limit - 1];
      const more = records.length > limit && last !== undefined;
      return {
        records: records.slice(0, limit),
        nextCursor: more ? cursorOf(joined(last.key.sort)) : null,
      } satisfies Page<Data, S>;
    },

    async *rows(range: Range<unknown, S>, options: QueryOptions = {}) {
      for await (const items of batches(range, { ...options, projection: 'sk, #data, n' })) {
        yield items as unknown as RawRow[];
      }
    },
  };
}

function sortCondition(range: Range<unknown, Space>): { condition: string; values: Record<string, string> } {
  if (range.between !== undefined) {
    return {
      condition: ' AND sk BETWEEN :from AND :to',
      values: { ':from': range.between.from, ':to': range.between.to },
    };
  }
  if (range.under !== undefined) {
    return { condition: ' AND begins_with(sk, :under)', values: { ':under': `${joined(range.under)}#` } };
  }
  return { condition: '', values: {} };
}

function liesIn(range: Range<unknown, Space>, sort: string): boolean {
  if (range.between !== undefined) {
    return sort >= range.between.from && sort <= range.between.to;
  }
  return sort !== '' && (range.under === undefined || sort.startsWith(`${joined(range.under)}#`));
}
