/** The part of an event of Amazon SQS that the kernel reads. */
export interface QueueEvent {
  Records: QueueRecord[];
}

export interface QueueRecord {
  messageId: string;
  body: string;
  attributes: {
    ApproximateReceiveCount: string;
    /** Milliseconds since 1970. */
    SentTimestamp: string;
  };
}

/** Names the messages that are to be delivered again; the queue forgets the others. */
export interface QueueResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/**
 * Handles the messages of a batch side by side. A message that fails is delivered again after the queue's visibility timeout, whatever
 * happens to the others, and goes to the dead-letter queue when it has failed too often.
 */
export function eachMessage(take: (record: QueueRecord, context: unknown) => Promise<boolean>) {
  return async ({ Records: records }: QueueEvent, context?: unknown): Promise<QueueResult> => {
    const taken = await Promise.all(records.map((record) => take(record, context)));
    return {
      batchItemFailures: records
        .filter((_, index) => !taken[index])
        .map(({ messageId }) => ({ itemIdentifier: messageId })),
    };
  };
}
