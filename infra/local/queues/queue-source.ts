import { setTimeout as sleep } from 'node:timers/promises';
import { region } from '../template/intrinsics.ts';
import type { QueueStore, ReceivedMessage } from './queue.ts';
import type { QueueMapping } from './queue-plan.ts';

export interface QueueSourceOptions {
  readonly store: QueueStore;
  readonly mapping: QueueMapping;
  /** Whether the function waits for addresses outside, which may never answer. */
  readonly waitsOutside?: boolean;
  invoke(event: unknown): Promise<unknown>;
  log(line: string): void;
}

/**
 * How many batches are handled at the same time: the templates may allow more, but this machine has few workers. Of an ordered queue for
 * addresses outside, so many groups less one may wait for silent ones, and the others do not notice.
 */
const maxBatchesHere = { outside: 8, ordered: 4, other: 2 };
/** The longest delay of a timer. */
const longestWait = 2 ** 31 - 1;

/** Delivers a queue's messages to the function of one event source mapping, until it is stopped. */
export class QueueSource {
  readonly #options: QueueSourceOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<unknown>;
  #news = Promise.withResolvers<void>();

  constructor(options: QueueSourceOptions) {
    this.#options = options;
    const { store, mapping, waitsOutside } = options;
    const deafen = store.onArrival(mapping.queue, () => this.#wake());
    const ordered = waitsOutside ? 'outside' : 'ordered';
    const kind = store.plan(mapping.queue)?.isOrdered ? ordered : 'other';
    this.#running = this.#run(Math.min(mapping.maxBatches, maxBatchesHere[kind])).finally(deafen);
  }

  /**
   * Resolves when no more messages are received. Those of a batch under way are received again after their visibility timeout, or after the
   * next start of the host.
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#running;
  }

  #wake(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  async #run(most: number): Promise<void> {
    const { store, mapping } = this.#options;
    const underWay = new Set<Promise<void>>();
    while (!this.#stopping.signal.aborted) {
      const news = this.#news.promise;
      const mayBegin = underWay.size < most;
      const messages = mayBegin ? store.receive(mapping.queue, { most: mapping.batchSize }) : [];
      if (messages.length > 0) {
        const delivery = this.#deliver(messages).finally(() => {
          underWay.delete(delivery);
          this.#wake();
        });
        underWay.add(delivery);
        continue;
      }
      const next = (mayBegin ? store.nextVisible(mapping.queue) : undefined) ?? Number.POSITIVE_INFINITY;
      const timer = setTimeout(() => this.#wake(), Math.min(longestWait, Math.max(1, next - Date.now())));
      await news;
      clearTimeout(timer);
    }
    await Promise.all(underWay);
  }

  /** The messages that arrive while the mapping waits for a full batch. */
  async #rest(count: number): Promise<ReceivedMessage[]> {
    const { store, mapping } = this.#options;
    const { signal } = this.#stopping;
    if (mapping.window === 0 || count === mapping.batchSize) {
      return [];
    }
    await sleep(mapping.window, undefined, { signal }).catch(() => undefined);
    return signal.aborted ? [] : store.receive(mapping.queue, { most: mapping.batchSize - count });
  }

  /**
   * Hides messages from other receivers until the returned timer is cleared. Their function may wait for a worker for longer than the
   * visibility timeout: messages that are received again meanwhile would be handled twice, and end as dead letters.
   */
  #hide(messages: readonly ReceivedMessage[]): NodeJS.Timeout | undefined {
    const { store, mapping } = this.#options;
    const { visibilityTimeout } = store.plan(mapping.queue) ?? {};
    return (
      (visibilityTimeout &&
        setInterval(() => {
          for (const { receipt } of messages) {
            store.changeVisibility(mapping.queue, receipt, visibilityTimeout);
          }
        }, visibilityTimeout / 2)) ||
      undefined
    );
  }

  async #deliver(first: readonly ReceivedMessage[]): Promise<void> {
    const { store, mapping, invoke, log } = this.#options;
    const messages = [...first, ...(await this.#rest(first.length))];
    const hiding = this.#hide(messages);
    const failed = await invoke({ Records: messages.map((message) => recordOf(message, mapping)) }).then(
      (result) => (mapping.reportsFailures ? failedIn(result, messages) : new Set<string>()),
      () => new Set(messages.map(({ id }) => id)), // The function's log has the error.
    );
    clearInterval(hiding);
    if (this.#stopping.signal.aborted && failed.size > 0) {
      return;
    }
    for (const { id, receipt } of messages) {
      if (!failed.has(id)) {
        store.delete(mapping.queue, receipt);
      }
    }
    if (failed.size > 0) {
      log(`${mapping.functionName}: ${failed.size} of ${messages.length} messages failed and come again`);
    }
  }
}

/** A message as Lambda hands it to a function. */
function recordOf(message: ReceivedMessage, { queueArn }: QueueMapping): object {
  const { id, receipt, body, md5, group, receives, sentAt, firstReceivedAt } = message;
  return {
    messageId: id,
    receiptHandle: receipt,
    body,
    attributes: {
      ApproximateReceiveCount: String(receives),
      SentTimestamp: String(sentAt),
      SenderId: 'local',
      ApproximateFirstReceiveTimestamp: String(firstReceivedAt),
      ...(group !== undefined && { MessageGroupId: group }),
    },
    messageAttributes: {},
    md5OfBody: md5,
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: region,
  };
}

/** The ids of the messages that a function reports as failed: all of them when the report is not one of this batch. */
function failedIn(result: unknown, messages: readonly ReceivedMessage[]): Set<string> {
  const { batchItemFailures = [] } = (result ?? {}) as { batchItemFailures?: unknown };
  if (batchItemFailures === null) {
    return new Set();
  }
  const all = new Set(messages.map(({ id }) => id));
  if (!Array.isArray(batchItemFailures)) {
    return all;
  }
  const named = batchItemFailures.map(
    (batchItemFailure: { itemIdentifier?: unknown } | null) => batchItemFailure?.itemIdentifier,
  );
  return named.every((id) => typeof id === 'string' && all.has(id)) ? new Set(named as string[]) : all;
}
