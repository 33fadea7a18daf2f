import { second } from './time.ts';

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

/**
 * Deliveries of a message, but of an ordered queue, before it goes to the dead-letter queue. With the pauses between them it is tried for at
 * least 20 minutes, and an alarm has gone off by then.
 */
export const maxDeliveries = 20;

interface SendOptions {
  /** Whose message it is: messages of one group, however many wait, do not delay those of other groups. */
  readonly group: string;
  /** Milliseconds before the consumer gets it, at most 15 minutes; not in an ordered queue. Source: SQS, "Delay queues". */
  readonly delay?: number;
}

/**
 * The queues, by what takes their messages. Each has one consumer: the function that applies deferred requests, or the operation that names
 * it. The groups of an `orderedQueue` are ordered.
 */
export const queues = {
  deferredRequests: 'deferred',
  outgoingMail: 'queue',
  outgoingTexts: 'queue',
  workflowRuns: 'queue',
  compactions: 'queue',
  liveEvents: 'orderedQueue',
  webhookPosts: 'orderedQueue',
} as const;

export type QueueName = keyof typeof queues;

/**
 * The queues of much work that nobody waits for, and of posts to addresses outside that may not answer. A function takes each of their messages alone, with its time limit for itself, and those
 * that wait for long set off no alarm.
 */
export const unhurriedQueues: ReadonlySet<QueueName> = new Set(['compactions', 'webhookPosts']);

/** Milliseconds after which the platform ends an invocation that takes a message, where it is not what the kind of queue says. */
export const queueTimeLimits: Readonly<Partial<Record<QueueName, number>>> = {
  // An address outside has 15 seconds to answer.
  webhookPosts: 29 * second,
};

/** The queues whose messages are taken in this way. */
export type QueueTakenBy<Consumer extends (typeof queues)[QueueName]> = {
  [Name in QueueName]: (typeof queues)[Name] extends Consumer ? Name : never;
}[QueueName];

/** The queues that operations send to. */
export type OperationQueueName = QueueTakenBy<'queue' | 'orderedQueue'>;
