import type { AttributeValue, CancellationReason } from '@aws-sdk/client-dynamodb';
import { nativeOf } from './dynamodb-values.ts';

/** Why a transaction was cancelled, a reason a step; undefined for any other error. */
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

/** Another write has the item; or the same transaction, sent again after a lost reply, is still at work. */
const conflicts = new Set(['TransactionConflictException', 'TransactionInProgressException']);

/** True when competition, or throttling inside a transaction, alone stopped a write: the SDK leaves these to its caller. */
export function isConflict(error: unknown): boolean {
  const reasons = cancellationReasons(error);
  return reasons === undefined
    ? error instanceof Error && conflicts.has(error.name)
    : reasons.length > 0 && reasons.every(({ Code }) => Code === undefined || worthRetrying.has(Code));
}

/** What lay at the key when the condition of a single write failed: null for nothing; undefined for any other error. */
export function conditionalItem(error: unknown): Record<string, unknown> | null | undefined {
  if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') {
    return undefined;
  }
  const { Item: item } = error as { Item?: Record<string, AttributeValue> };
  return item === undefined ? null : nativeOf(item);
}
