import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { requireTime } from '../kernel/deadline.ts';
import { type InvocationScope, requireWritable } from '../kernel/ports.ts';
import { isTransient, unavailable } from '../kernel/transient-errors.ts';

export interface Connection {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
}

interface Consumed {
  CapacityUnits?: number | undefined;
}

/** The consumed capacity in every response. */
export interface Metered {
  ConsumedCapacity?: Consumed | Consumed[] | undefined;
}

/**
 * Sends one request unless the invocation is over, records what it consumed, and turns a transient error into a 503: work that its
 * client no longer waits for writes nothing more, nor does that of a caller who may not.
 */
export async function meterRequest<Output extends Metered>(
  scope: Pick<InvocationScope, 'meter' | 'deadline' | 'mayWrite' | 'writes'>,
  kind: 'read' | 'write',
  operation: string,
  send: () => Promise<Output>,
): Promise<Output> {
  const { meter, deadline } = scope;
  await (kind === 'write' ? requireWritable(scope) : scope.writes?.before(kind));
  requireTime(deadline);
  const start = performance.now();
  let units = 0;
  try {
    const output = await send();
    units = [output.ConsumedCapacity ?? []]
      .flat()
      .reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
    return output;
  } catch (error) {
    throw isTransient(error) ? unavailable(error) : error;
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
