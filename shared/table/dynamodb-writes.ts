import { PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { InvocationScope } from '../kernel/ports.ts';
import { unavailable } from '../kernel/transient-errors.ts';
import { type Backoff, retry } from './backoff.ts';
import { actionsIn, failedCondition, type RequestedAction } from './dynamodb-actions.ts';
import { deleteMany, putMany } from './dynamodb-batches.ts';
import { cancellationReasons, conditionalItem, isConflict } from './dynamodb-errors.ts';
import { type Connection, type Metered, meterRequest } from './dynamodb-metering.ts';
import { dynamodbReader } from './dynamodb-reads.ts';
import type { Space } from './key.ts';
import type { SpacePrefix } from './spaces.ts';
import type { Action, TableWriter } from './table.ts';

/** Part of every update's condition: an item that has this write already is not changed again. */
const unwritten = '(attribute_not_exists(writeId) OR writeId <> :writeId)';

/** Conflicts on a busy item resolve within milliseconds; ten tries take more than two seconds. */
const conflictBackoff: Backoff = { attempts: 10, first: 10, longest: 500 };

/** Reads and writes one key space in DynamoDB. */
export function dynamodbWriter<S extends Space = 'organization'>(
  connection: Connection,
  space: SpacePrefix<S>,
  invocation: InvocationScope,
): TableWriter<S> {
  const { client, tableName } = connection;
  const { boundUpdate, ...actions } = actionsIn(tableName, space);

  /**
   * Retries a write as long as it conflicts with others. Repeating it is safe unless another `update` of the item came in
   * between.
   */
  function write<Output extends Metered>(operation: string, send: () => Promise<Output>): Promise<Output> {
    const { random, deadline } = invocation;
    return retry(
      { ...conflictBackoff, random, deadline },
      () => meterRequest(invocation, 'write', operation, send),
      { isRetryable: isConflict, exhausted: unavailable },
    );
  }

  /**
   * Makes one conditional write of one item and stores the id of the write with it, so that a repeated write whose response was
   * lost recognises itself. Resolves with the item's new attributes, as far as the write returns them.
   */
  async function sendOnce(
    operation: string,
    otherwise: Action['otherwise'],
    send: (writeId: string) => Promise<Metered & { Attributes?: Record<string, unknown> | undefined }>,
  ): Promise<Record<string, unknown>> {
    const writeId = invocation.newId();
    try {
      const { Attributes } = await write(operation, () => send(writeId));
      return Attributes ?? {};
    } catch (error) {
      const existing = conditionalItem(error);
      if (existing === undefined) {
        throw error;
      }
      if (existing?.writeId === writeId) {
        return existing;
      }
      throw failedCondition(otherwise, existing ?? undefined);
    }
  }

  async function commitTogether(actions: readonly Action[]): Promise<void> {
    const input = {
      TransactItems: actions.map(({ request }) => request as RequestedAction),
      ClientRequestToken: invocation.newId(),
      ReturnConsumedCapacity: 'TOTAL' as const,
    };
    try {
      await write('TransactWriteItems', () => client.send(new TransactWriteCommand(input)));
    } catch (error) {
      throw actionError(actions, error) ?? error;
    }
  }

  return {
    ...dynamodbReader(connection, space, invocation),
    ...actions,
    origin: invocation.origin,
    now: invocation.now,

    async commit(actions, { isAhead = false } = {}) {
      const { writes } = invocation;
      if (writes !== undefined && actions.length > 0) {
        const { commit } = dynamodbWriter(connection, space, { ...invocation, writes: undefined });
        return writes.commit(actions, (all) => commit(all), isAhead);
      }
      const [first] = actions;
      const put = (first?.request as RequestedAction | undefined)?.Put;
      if (first !== undefined && actions.length === 1 && put !== undefined) {
        // A single put needs no transaction and costs half as much.
        await sendOnce('PutItem', first.otherwise, (writeId) =>
          client.send(
            new PutCommand({
              ...put,
              Item: { ...put.Item, writeId },
              ReturnConsumedCapacity: 'TOTAL',
            }),
          ),
        );
      } else if (actions.length > 0) {
        await commitTogether(actions);
      }
      invocation.meter.draw(...actions.flatMap(({ draws }) => draws ?? []));
    },

    deleteMany: (keys) => deleteMany(connection, space, invocation, keys),

    putMany: (records) => putMany(connection, space, invocation, records),

    async update(key, change) {
      const update = boundUpdate(key, change);
      const { UpdateExpression: expression, ConditionExpression: condition } = update;
      const written = await sendOnce('UpdateItem', change.otherwise as Action['otherwise'], (writeId) =>
        client.send(
          new UpdateCommand({
            ...update,
            UpdateExpression: expression.startsWith('SET ')
              ? expression.replace('SET ', 'SET writeId = :writeId, ')
              : `SET writeId = :writeId ${expression}`,
            ConditionExpression: condition === undefined ? unwritten : `${unwritten} AND (${condition})`,
            ExpressionAttributeValues: { ...update.ExpressionAttributeValues, ':writeId': writeId },
            ReturnValues: 'ALL_NEW',
            ReturnConsumedCapacity: 'TOTAL',
          }),
        ),
      );
      const drawn = change.draws?.(written);
      invocation.meter.draw(...(drawn === undefined ? [] : [drawn]));
      return written;
    },
  };
}

/** The error of the first action whose condition failed; undefined if none did. */
function actionError(actions: readonly Action[], error: unknown): Error | undefined {
  const reasons = cancellationReasons(error) ?? [];
  const index = reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed');
  const item = reasons[index]?.Item;
  return index === -1 ? undefined : failedCondition(actions[index]?.otherwise, item && unmarshall(item));
}
