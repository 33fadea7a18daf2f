/**
 * A queue of messages. Each message reaches the queue's consumer at least once, in any order, and again after a failure; a message
 * that fails too often waits in the dead-letter queue for somebody to redrive it.
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
  /** Milliseconds before the consumer gets it, at most 15 minutes. Source: SQS, "Delay queues". */
  readonly delay?: number;
}

/** The queues. Each has one consumer: the function that applies kept requests, or the `queueOperation` that names it. */
export type QueueName = 'keptRequests' | 'outgoingMail' | 'outgoingTexts' | 'workflowRuns';
