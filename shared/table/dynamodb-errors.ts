import type { AttributeValue, CancellationReason } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/** Why a transaction was cancelled, with one reason for each action; undefined for any other error. */
export function cancellationReasons(error: unknown): CancellationReason[] | undefined {
  return error instanceof Error && error.name === 'TransactionCanceledException'
    ? ((error as { CancellationReasons?: CancellationReason[] }).CancellationReasons ?? [])
    : undefined;
}

const worthRetrying = new Set([
  'None',
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

/** Another write holds the item, or the same transaction, sent again after its response was lost, is still running. */
const conflicts = new Set(['TransactionConflictException', 'TransactionInProgressException']);

/** Whether only conflicts, or throttling inside a transaction, stopped a write. The SDK does not retry these. */
export function isConflict(error: unknown): boolean {
  const reasons = cancellationReasons(error);
  return reasons === undefined
    ? error instanceof Error && conflicts.has(error.name)
    : reasons.length > 0 && reasons.every(({ Code }) => Code === undefined || worthRetrying.has(Code));
}

/** The item that failed the condition of a single write, null if it does not exist; undefined for any other error. */
export function conditionalItem(error: unknown): Record<string, unknown> | null | undefined {
  if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') {
    return undefined;
  }
  const { Item: item } = error as { Item?: Record<string, AttributeValue> };
  return item === undefined ? null : unmarshall(item);
}
