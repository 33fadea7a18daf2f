import {
  type AttributeValue,
  PutItemCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { InvocationScope } from '../kernel/ports.ts';
import { unavailable } from '../kernel/transient-errors.ts';
import { packed, unpacked } from '../packing.ts';
import { epochSeconds } from '../time.ts';
import { type CancellationReason, cancellationReasons, isConflict } from './dynamodb-errors.ts';
import {
  type Connection,
  dynamodbReader,
  type Item,
  type Metered,
  metered,
  primaryKeyIn,
} from './dynamodb-reads.ts';
import { attributesOf, nativeOf } from './dynamodb-values.ts';
import type { Key, Space } from './key.ts';
import { type Retries, retry } from './retry.ts';
import type { SpacePrefix } from './spaces.ts';
import { type Change, type Step, type TableWriter, VersionConflict } from './table.ts';

/** Whatever else a change asks for, it is not done to an item that it was done to already. */
const unwritten = '(attribute_not_exists(writeId) OR writeId <> :writeId)';

/** Conflicts on a busy item resolve within milliseconds; ten tries reach past two seconds. */
const conflictRetries: Retries = {
  attempts: 10,
  first: 10,
  longest: 500,
  isTransient: isConflict,
  exhausted: unavailable,
};

/** Reads and writes of one key space over DynamoDB. */
export function dynamodbWriter<S extends Space = 'organization'>(
  connection: Connection,
  space: SpacePrefix<S>,
  call: InvocationScope,
): TableWriter<S> {
  const { client, tableName } = connection;

  const primaryKey = primaryKeyIn(space);

  const itemOf = (
    key: Key<unknown, S>,
    data: unknown,
    version: number | undefined,
    expiresAt: Date | undefined,
    bytes?: Uint8Array,
  ) =>
    attributesOf({
      ...primaryKey(key),
      data: packed(data),
      version,
      expiresAt: expiresAt && epochSeconds(expiresAt),
      bytes,
    });

  const keyOf = (key: Key<unknown, S>) => attributesOf(primaryKey(key));

  const step = (request: TransactWriteItem, otherwise?: Step['otherwise']): Step => ({
    request: request as Record<string, unknown>,
    ...(otherwise === undefined ? {} : { otherwise }),
  });

  /** Sends a write until no other write meets it: the SDK leaves conflicts to its caller. A write is safe to repeat, unless another `update` of the item came between. */
  const write = <Output extends Metered>(operation: string, send: () => Promise<Output>) =>
    retry(() => metered(call.meter, 'write', operation, send), conflictRetries, call.random);

  async function commitTogether(steps: readonly Step[]): Promise<void> {
    const input = {
      TransactItems: steps.map(({ request }) => request as TransactWriteItem),
      ClientRequestToken: call.newId(),
      ReturnConsumedCapacity: 'TOTAL' as const,
    };
    try {
      await write('TransactWriteItems', () => client.send(new TransactWriteItemsCommand(input)));
    } catch (error) {
      throw failureOf(steps, cancellationReasons(error) ?? []) ?? error;
    }
  }

  /** A single put needs no transaction, at half the price; its write id recognises a repetition of itself. */
  async function commitAlone({ request, otherwise }: Step): Promise<void> {
    const put = (request as { Put: NonNullable<TransactWriteItem['Put']> }).Put;
    const writeId = call.newId();
    try {
      await write('PutItem', () =>
        client.send(
          new PutItemCommand({
            ...put,
            Item: { ...put.Item, writeId: { S: writeId } },
            ReturnConsumedCapacity: 'TOTAL',
          }),
        ),
      );
    } catch (error) {
      const existing = conditionalItem(error);
      if (existing === undefined) {
        throw error;
      }
      if (existing?.writeId !== writeId) {
        throw failedCondition(otherwise, existing ?? undefined);
      }
    }
  }

  return {
    ...dynamodbReader(connection, space, call.meter),

    add(key, data, options = {}) {
      const Item = itemOf(key, data, 1, options.expiresAt);
      return step(
        {
          Put: {
            TableName: tableName,
            Item,
            ConditionExpression: 'attribute_not_exists(pk)',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        options.otherwise && ((existing) => options.otherwise?.(dataOf(existing)) ?? new VersionConflict()),
      );
    },

    replace({ key, version }, data, options = {}) {
      return step({
        Put: {
          TableName: tableName,
          Item: itemOf(key, data, version + 1, options.expiresAt),
          ConditionExpression: 'version = :version',
          ExpressionAttributeValues: attributesOf({ ':version': version }),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      });
    },

    remove({ key, version }, otherwise) {
      return step(
        {
          Delete: {
            TableName: tableName,
            Key: keyOf(key),
            ConditionExpression: 'version = :version',
            ExpressionAttributeValues: attributesOf({ ':version': version }),
          },
        },
        otherwise,
      );
    },

    put(key, data, { expiresAt, bytes } = {}) {
      return step({
        Put: { TableName: tableName, Item: itemOf(key, data, undefined, expiresAt, bytes) },
      });
    },

    erase(key) {
      return step({ Delete: { TableName: tableName, Key: keyOf(key) } });
    },

    change(key, change) {
      return step({ Update: changeOf(tableName, keyOf(key), change) }, change.otherwise as Step['otherwise']);
    },

    require(key, { when, values, otherwise }) {
      return step(
        {
          ConditionCheck: {
            TableName: tableName,
            Key: keyOf(key),
            ConditionExpression: when,
            ...(values === undefined ? {} : { ExpressionAttributeValues: prefixed(values) }),
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        otherwise as Step['otherwise'],
      );
    },

    async commit(steps) {
      const [first] = steps;
      if (first !== undefined && steps.length === 1 && first.request.Put !== undefined) {
        await commitAlone(first);
      } else if (steps.length > 0) {
        await commitTogether(steps);
      }
    },

    async update(key, change) {
      const writeId = call.newId();
      const update = changeOf(tableName, keyOf(key), change);
      const withWriteId = update.UpdateExpression.startsWith('SET ')
        ? update.UpdateExpression.replace('SET ', 'SET writeId = :writeId, ')
        : `SET writeId = :writeId ${update.UpdateExpression}`;
      try {
        const output = await write('UpdateItem', () =>
          client.send(
            new UpdateItemCommand({
              ...update,
              UpdateExpression: withWriteId,
              ConditionExpression:
                update.ConditionExpression === undefined
                  ? unwritten
                  : `${unwritten} AND (${update.ConditionExpression})`,
              ExpressionAttributeValues: { ...update.ExpressionAttributeValues, ':writeId': { S: writeId } },
              ReturnValues: 'ALL_NEW',
              ReturnConsumedCapacity: 'TOTAL',
            }),
          ),
        );
        return nativeOf(output.Attributes ?? {});
      } catch (error) {
        const existing = conditionalItem(error);
        if (existing === undefined) {
          throw error;
        }
        if (existing !== null && existing.writeId === writeId) {
          return existing;
        }
        throw failedCondition(change.otherwise as Step['otherwise'], existing ?? undefined);
      }
    },
  };
}

function changeOf(tableName: string, Key: Record<string, AttributeValue>, { update, when, values }: Change) {
  return {
    TableName: tableName,
    Key,
    UpdateExpression: update,
    ...(when === undefined ? {} : { ConditionExpression: when }),
    ...(values === undefined ? {} : { ExpressionAttributeValues: prefixed(values) }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

function prefixed(values: Readonly<Record<string, unknown>>) {
  return attributesOf(Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])));
}

function dataOf(existing: unknown): never {
  const { data } = existing as Item;
  return (data === undefined ? undefined : unpacked(data)) as never;
}

function failedCondition(otherwise: Step['otherwise'], existing: Record<string, unknown> | undefined): Error {
  return otherwise?.(existing) ?? new VersionConflict();
}

/** The error of the first step whose condition failed; undefined when none did. */
function failureOf(steps: readonly Step[], reasons: readonly CancellationReason[]) {
  const index = reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed');
  if (index === -1) {
    return undefined;
  }
  const item = reasons[index]?.Item;
  return failedCondition(steps[index]?.otherwise, item === undefined ? undefined : nativeOf(item));
}

/** What lay at the key when a condition failed: null for nothing; undefined for any other error. */
function conditionalItem(error: unknown): Record<string, unknown> | null | undefined {
  if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') {
    return undefined;
  }
  const item = (error as { Item?: Record<string, AttributeValue> }).Item;
  return item === undefined ? null : nativeOf(item);
}
