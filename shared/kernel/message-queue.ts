/**
 * A queue of messages. Each message reaches the queue's consumer at least once, and again after a failure; a message that fails too often
 * waits in the dead-letter queue for somebody to redrive it. Messages come in any order, but in an ordered queue those of a group come in
 * the order in which they were sent.
 */
export interface MessageQueue {
  /**
   * Resolves once the queue has stored the message.
   * @throws a 503 `Failure` when the queue does not take it.
   */
  send(body: string, options: SendOptions): Promise<void>;
}

interface SendOptions {
  /** Whose message it is: messages of one group, however many wait, do not delay those of other groups. */
  readonly group: string;
  /** Milliseconds before the consumer gets it, at most 15 minutes; not in an ordered queue. Source: SQS, "Delay queues". */
  readonly delay?: number;
}

/** The queues whose groups are ordered. Each has one consumer: the `orderedQueueOperation` that names it. */
export type OrderedQueueName = 'liveEvents';

/** The queues. Each has one consumer: the function that applies deferred requests, or the operation that names it. */
export type QueueName =
  | 'deferredRequests'
  | 'outgoingMail'
  | 'outgoingTexts'
  | 'workflowRuns'
  | 'compactions'
  | OrderedQueueName;
