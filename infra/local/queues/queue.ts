/** A queue as its template has it. Times are in milliseconds. */
export interface QueuePlan {
  readonly name: string;
  readonly delay: number;
  readonly retention: number;
  readonly visibilityTimeout: number;
  /** Bytes. */
  readonly maxBytes: number;
  /** Where a message goes that was received too often. */
  readonly redrive: { readonly deadLetters: string; readonly maxReceives: number } | undefined;
}

/** A message that was received: nobody else gets it until its visibility timeout is over. */
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

/** The messages of all queues, in a file or in memory. What was sent survives a kill; what was received then can be received at once. */
export interface QueueStore {
  /** The queues from now on; messages of others stay where they are. */
  define(plans: readonly QueuePlan[]): void;
  /** Undefined for a queue that no template has. */
  plan(name: string): QueuePlan | undefined;
  send(
    name: string,
    message: { body: string; group?: string | undefined; delay?: number | undefined },
  ): string;
  receive(name: string, options: ReceiveOptions): ReceivedMessage[];
  /** Does nothing if the message was received again since. */
  delete(name: string, receipt: string): void;
  /** Returns false if the message was received again since, or is gone. */
  changeVisibility(name: string, receipt: string, timeout: number): boolean;
  counts(name: string): QueueCounts;
  /** When the next message can be received, in milliseconds since 1970; undefined for an empty queue. */
  nextVisible(name: string): number | undefined;
  /** Puts all messages of a dead-letter queue back where they came from, as new ones. Returns how many. */
  moveBack(name: string): number;
  /** Calls `listener` when a message of the queue may be there. Returns what ends that. */
  onArrival(name: string, listener: () => void): () => void;
  close(): void;
}
