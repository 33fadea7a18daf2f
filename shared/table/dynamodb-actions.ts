import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unpacked } from '../kernel/packing.ts';
import { type Item, primaryKeyIn, toItem } from './dynamodb-items.ts';
import type { Key, Space } from './key.ts';
import type { SpacePrefix } from './spaces.ts';
import {
  type Action,
  type Change,
  type Condition,
  type DeleteOptions,
  firstVersion,
  type TableWriter,
  VersionConflict,
} from './table.ts';

type Actions<S extends Space> = Pick<
  TableWriter<S>,
  'add' | 'replace' | 'put' | 'delete' | 'updateAction' | 'require'
>;

/** An action as DynamoDB takes it, with native values. */
export type RequestedAction = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** An update as DynamoDB takes it, with its primary key. */
export type BoundUpdate = NonNullable<RequestedAction['Update']> & { UpdateExpression: string };

/** Builds the actions of transactions, and single updates, for one key space of a table. It sends nothing. */
export function actionsIn<S extends Space>(
  TableName: string,
  space: SpacePrefix<S>,
): Actions<S> & { boundUpdate(key: Key<unknown, S>, change: Change): BoundUpdate } {
  const primaryKey = primaryKeyIn(space);

  function boundUpdate(key: Key<unknown, S>, { update, when, values }: Change): BoundUpdate {
    return {
      TableName,
      Key: primaryKey(key),
      UpdateExpression: update,
      ...(when === undefined ? {} : { ConditionExpression: when }),
      ...valuesOf(values),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
  }

  return {
    boundUpdate,

    add(key, data, { expiresAt, otherwise, version = firstVersion } = {}) {
      return action(
        {
          Put: {
            TableName,
            Item: toItem(primaryKey(key), data, { version, ...(expiresAt && { expiresAt }) }),
            ConditionExpression: 'attribute_not_exists(pk)',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        otherwise && ((existing) => otherwise(dataOf(existing))),
      );
    },

    replace({ key, version }, data, options = {}) {
      return action({
        Put: {
          TableName,
          Item: toItem(primaryKey(key), data, { ...options, version: version + 1 }),
          ...versionIs(version),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      });
    },

    put(key, data, options = {}) {
      return action({ Put: { TableName, Item: toItem(primaryKey(key), data, options) } });
    },

    delete(key, options?: DeleteOptions) {
      return action(
        {
          Delete: {
            TableName,
            Key: primaryKey(key),
            ...(options && conditionIn(options)),
          },
        },
        options?.otherwise,
      );
    },

    updateAction(key, change) {
      const updating = action({ Update: boundUpdate(key, change) }, change.otherwise as Action['otherwise']);
      return { ...updating, draws: change.draws?.() };
    },

    require(key, condition) {
      const requiring = action(
        {
          ConditionCheck: {
            TableName,
            Key: primaryKey(key),
            ...conditionIn(condition),
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        condition.otherwise as Action['otherwise'],
      );
      return { ...requiring, draws: condition.draws?.() };
    },
  };
}

/** The caller's error when the condition of an action fails on the item at its key. */
export function failedCondition(otherwise: Action['otherwise'], existing: unknown): Error {
  return otherwise?.(existing) ?? new VersionConflict();
}

function action(request: RequestedAction, otherwise?: Action['otherwise']): Action {
  return {
    request: request as Record<string, unknown>,
    ...(otherwise === undefined ? {} : { otherwise }),
  };
}

const versionIs = (version: number) => ({
  ConditionExpression: 'version = :version',
  ExpressionAttributeValues: { ':version': version },
});

function conditionIn(condition: Condition) {
  return 'when' in condition
    ? { ConditionExpression: condition.when, ...valuesOf(condition.values) }
    : versionIs(condition.ifVersion);
}

function valuesOf(values: Change['values']): {
  ExpressionAttributeValues?: Record<string, unknown>;
} {
  const prefixed = Object.entries(values ?? {}).map(([name, value]) => [`:${name}`, value]);
  return values === undefined ? {} : { ExpressionAttributeValues: Object.fromEntries(prefixed) };
}

function dataOf(existing: unknown): never {
  const { data } = existing as Item;
  return (data === undefined ? undefined : unpacked(data)) as never;
}
