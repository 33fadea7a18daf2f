/** A queue as its template defines it. Times are in milliseconds. */
export interface QueuePlan {
  readonly name: string;
  /** Whether a group's messages are received in order, and none of them while others of the group are being handled. */
  readonly isOrdered: boolean;
  readonly delay: number;
  readonly retention: number;
  readonly visibilityTimeout: number;
  /** Bytes. */
  readonly maxBytes: number;
  /** The dead-letter queue, for messages that were received `maxReceives` times. */
  readonly redrive: { readonly deadLetters: string; readonly maxReceives: number } | undefined;
}

/** A received message: nobody else gets it until its visibility timeout is over. */
export interface ReceivedMessage {
  readonly id: string;
  readonly receipt: string;
  readonly body: string;
  readonly md5: string;
  readonly group: string | undefined;
  readonly receives: number;
  readonly sentAt: number;
  readonly firstReceivedAt: number;
}

export interface QueueCounts {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

export interface ReceiveOptions {
  readonly most: number;
  readonly visibilityTimeout?: number | undefined;
}

/** The messages of all queues, in a file or in memory. They survive a kill; messages that were being handled can then be received at once. */
export interface QueueStore {
  /** Defines the queues from now on; messages of other queues stay stored. */
  define(plans: readonly QueuePlan[]): void;
  /** Undefined for a queue that no template has. */
  plan(name: string): QueuePlan | undefined;
  send(
    name: string,
    message: { body: string; group?: string | undefined; delay?: number | undefined },
  ): string;
  receive(name: string, options: ReceiveOptions): ReceivedMessage[];
  /** Does nothing if the message has been received again since. */
  delete(name: string, receipt: string): void;
  /** Returns false if the message has been received again since, or is gone. */
  changeVisibility(name: string, receipt: string, timeout: number): boolean;
  counts(name: string): QueueCounts;
  /** When the next message can be received, in milliseconds since 1970; undefined for an empty queue. */
  nextVisible(name: string): number | undefined;
  /** Calls `listener` when the queue may have a message. Returns a function that stops this. */
  onArrival(name: string, listener: () => void): () => void;
  close(): void;
}
