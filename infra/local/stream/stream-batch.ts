import type { StreamPlan } from '../template/plan.ts';
import type { StreamRecord } from './stream-records.ts';

/** Why records were given up, as Lambda words it in its message to the on-failure destination. */
type Condition = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

export interface BatchDelivery {
  plan: StreamPlan;
  /** Resolves with the function's result; rejects when it failed, with an AbortError when delivery is to end. */
  invoke(records: StreamRecord[]): Promise<unknown>;
  /** Waits before another attempt; the first attempt has number 1. Rejects when delivery is to end. */
  pause(attempt: number): Promise<void>;
  /** Called when every record up to this one is done. */
  onProgress(last: StreamRecord): void;
  /** Called with records that are given up. */
  onFailure(records: StreamRecord[], condition: Condition, attempts: number): Promise<void>;
  now(): number;
}

interface Part {
  records: StreamRecord[];
  retries: number;
}

/**
 * Delivers a batch to its function as an event source mapping does: in order, and after a failure again from the first record that the
 * function reports as failed, in halves if the mapping bisects. When the retries or the age of the records are used up, the records go to
 * the on-failure destination.
 */
export async function deliverBatch(batch: StreamRecord[], delivery: BatchDelivery): Promise<void> {
  const { plan } = delivery;
  // A batch without records that pass the filter invokes nothing.
  const parts: Part[] = batch.length === 0 ? [] : [{ records: batch, retries: 0 }];
  for (let part = parts.shift(); part; part = parts.shift()) {
    const { records, retries } = part;
    const failedAt = await attempt(records, delivery);
    const done = failedAt === undefined ? records : records.slice(0, failedAt);
    const last = done.at(-1);
    if (last) {
      delivery.onProgress(last);
    }
    if (failedAt === undefined) {
      continue;
    }

    const rest = records.slice(failedAt);
    const condition = isTooOld(rest, delivery) ? 'RecordAgeExceeded' : 'RetryAttemptsExhausted';
    const exhausted = plan.MaximumRetryAttempts >= 0 && retries >= plan.MaximumRetryAttempts;
    if (last) {
      parts.unshift({ records: rest, retries: 0 });
    } else if (plan.BisectBatchOnFunctionError && rest.length > 1) {
      // Splitting does not count as a retry.
      const middle = Math.ceil(rest.length / 2);
      parts.unshift({ records: rest.slice(0, middle), retries }, { records: rest.slice(middle), retries });
    } else if (exhausted || condition === 'RecordAgeExceeded') {
      await delivery.onFailure(rest, condition, retries + 1);
      const position = rest.at(-1);
      if (position) {
        delivery.onProgress(position);
      }
      continue;
    } else {
      parts.unshift({ records: rest, retries: retries + 1 });
    }
    await delivery.pause(retries + 1);
  }
}

/** The index of the first record that failed; undefined when none did. */
async function attempt(
  records: StreamRecord[],
  { plan, invoke }: BatchDelivery,
): Promise<number | undefined> {
  let result: unknown;
  try {
    result = await invoke(records);
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') {
      throw error;
    }
    return 0; // The function's log has the error.
  }
  return plan.FunctionResponseTypes.includes('ReportBatchItemFailures')
    ? firstReported(result, records)
    : undefined;
}

function firstReported(result: unknown, records: StreamRecord[]): number | undefined {
  const { batchItemFailures = [] } = (result ?? {}) as { batchItemFailures?: unknown };
  if (!Array.isArray(batchItemFailures)) {
    return batchItemFailures === null ? undefined : 0;
  }
  const indexes = batchItemFailures.map((failure: { itemIdentifier?: unknown } | null) =>
    records.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === failure?.itemIdentifier),
  );
  // An identifier that names no record of the batch fails all of it.
  return indexes.length === 0 ? undefined : Math.max(0, Math.min(...indexes));
}

function isTooOld(records: StreamRecord[], { plan, now }: BatchDelivery): boolean {
  const oldest = records[0]?.dynamodb.ApproximateCreationDateTime ?? 0;
  const most = plan.MaximumRecordAgeInSeconds;
  return most >= 0 && now() / 1000 - oldest > most;
}
