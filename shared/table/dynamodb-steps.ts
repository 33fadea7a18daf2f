import type { AttributeValue, TransactWriteItem, Update } from '@aws-sdk/client-dynamodb';
import { unpacked } from '../kernel/packing.ts';
import { type Item, itemOf, primaryKeyIn } from './dynamodb-items.ts';
import { attributesOf } from './dynamodb-values.ts';
import type { Key, Space } from './key.ts';
import type { SpacePrefix } from './spaces.ts';
import { type Change, type DeleteOptions, type Step, type TableWriter, VersionConflict } from './table.ts';

type Steps<S extends Space> = Pick<
  TableWriter<S>,
  'add' | 'replace' | 'put' | 'delete' | 'updateStep' | 'require'
>;

/** An update as DynamoDB takes it, with its primary key. */
export type BoundUpdate = Update & { UpdateExpression: string };

/** Builds the steps of transactions, and single updates, for one key space of a table. It sends nothing. */
export function stepsIn<S extends Space>(
  TableName: string,
  space: SpacePrefix<S>,
): Steps<S> & { boundUpdate(key: Key<unknown, S>, change: Change): BoundUpdate } {
  const primaryKey = primaryKeyIn(space);
  const keyOf = (key: Key<unknown, S>) => attributesOf(primaryKey(key));

  function boundUpdate(key: Key<unknown, S>, { update, when, values }: Change): BoundUpdate {
    return {
      TableName,
      Key: keyOf(key),
      UpdateExpression: update,
      ...(when === undefined ? {} : { ConditionExpression: when }),
      ...valuesOf(values),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
  }

  return {
    boundUpdate,

    add(key, data, { expiresAt, otherwise } = {}) {
      return step(
        {
          Put: {
            TableName,
            Item: itemOf(primaryKey(key), data, { version: 1, ...(expiresAt && { expiresAt }) }),
            ConditionExpression: 'attribute_not_exists(pk)',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        otherwise && ((existing) => otherwise(dataOf(existing))),
      );
    },

    replace({ key, version }, data, options = {}) {
      return step({
        Put: {
          TableName,
          Item: itemOf(primaryKey(key), data, { ...options, version: version + 1 }),
          ...versionIs(version),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      });
    },

    put(key, data, options = {}) {
      return step({ Put: { TableName, Item: itemOf(primaryKey(key), data, options) } });
    },

    delete(key, options?: DeleteOptions) {
      return step(
        {
          Delete: {
            TableName,
            Key: keyOf(key),
            ...(options &&
              ('when' in options ? { ConditionExpression: options.when } : versionIs(options.ifVersion))),
          },
        },
        options?.otherwise,
      );
    },

    updateStep(key, change) {
      return step({ Update: boundUpdate(key, change) }, change.otherwise as Step['otherwise']);
    },

    require(key, { when, values, otherwise }) {
      return step(
        {
          ConditionCheck: {
            TableName,
            Key: keyOf(key),
            ConditionExpression: when,
            ...valuesOf(values),
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        otherwise as Step['otherwise'],
      );
    },
  };
}

/** The caller's error when the condition of a step fails on the item at its key. */
export function failedCondition(otherwise: Step['otherwise'], existing: unknown): Error {
  return otherwise?.(existing) ?? new VersionConflict();
}

function step(request: TransactWriteItem, otherwise?: Step['otherwise']): Step {
  return {
    request: request as Record<string, unknown>,
    ...(otherwise === undefined ? {} : { otherwise }),
  };
}

const versionIs = (version: number) => ({
  ConditionExpression: 'version = :version',
  ExpressionAttributeValues: attributesOf({ ':version': version }),
});

function valuesOf(values: Change['values']): {
  ExpressionAttributeValues?: Record<string, AttributeValue>;
} {
  const prefixed = Object.entries(values ?? {}).map(([name, value]) => [`:${name}`, value]);
  return values === undefined
    ? {}
    : { ExpressionAttributeValues: attributesOf(Object.fromEntries(prefixed)) };
}

function dataOf(existing: unknown): never {
  const { data } = existing as Item;
  return (data === undefined ? undefined : unpacked(data)) as never;
}
