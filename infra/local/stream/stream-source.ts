import { setTimeout as sleep } from 'node:timers/promises';
import { passes } from '../template/filter-patterns.ts';
import { functionNameIn, type StreamPlan } from '../template/plan.ts';
import { type BatchDelivery, deliverBatch } from './stream-batch.ts';
import type { GivenUp } from './stream-failures.ts';
import { type Position, type StreamPositions, shardKey } from './stream-positions.ts';
import { type StreamRecord, streamRecord, type WireRecord } from './stream-records.ts';
import type { FoundShard, StreamRequests } from './stream-requests.ts';

export interface StreamSourceOptions {
  streams: StreamRequests;
  plan: StreamPlan;
  positions: StreamPositions;
  /** The time between an announcement and the look at the stream: meanwhile records gather. */
  gatherMilliseconds: number;
  invoke(event: unknown): Promise<unknown>;
  /** Sends records that are given up to the on-failure destination. */
  setAside(givenUp: GivenUp): Promise<void>;
  log(line: string): void;
}

/** How often to look for new shards, which may appear once a shard has ended, or while none is open. */
const discoveryMilliseconds = 30_000;
const shortestRetryMilliseconds = 100;
const longestRetryMilliseconds = 10_000;

/** Reads a table's stream for one event source mapping and delivers the records to its function, until it is stopped. */
export class StreamSource {
  readonly #options: StreamSourceOptions;
  readonly #stopping = new AbortController();
  readonly #readers = new Map<string, Promise<void>>();
  /** Resolves at the next announcement. A reader that gets this before it reads misses no change that comes after the read. */
  #announcement = Promise.withResolvers<void>();
  /** Resolves when a shard that is being read ends. */
  #ended = Promise.withResolvers<void>();
  readonly #running: Promise<void>;

  constructor(options: StreamSourceOptions) {
    this.#options = options;
    this.#running = this.#persist(() => this.#discover());
  }

  /** Something may have changed: wakes the readers that wait. */
  announce(): void {
    this.#announcement.resolve();
    this.#announcement = Promise.withResolvers();
  }

  /** Resolves when nothing more is read. A batch under way is left unfinished and delivered again after the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#ended.resolve();
    this.announce();
    await this.#running;
    await Promise.all(this.#readers.values());
  }

  /** Reads every shard, and looks for new ones only when one ends, which the shards of the embedded database never do. */
  async #discover(): Promise<void> {
    const { streams, plan } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const ended = this.#ended.promise;
      const shards = await streams.shards(plan.tableName);
      const unfinished = shards.filter((shard) => this.#position(shard) !== 'finished');
      const unfinishedIds = new Set<string | undefined>(unfinished.map(({ ShardId }) => ShardId));
      for (const shard of unfinished) {
        // A shard is read after its parent, or the changes of an item would arrive in the wrong order.
        if (!unfinishedIds.has(shard.ParentShardId) && !this.#readers.has(shardKey(shard))) {
          this.#readers.set(
            shardKey(shard),
            this.#persist(() => this.#read(shard)),
          );
        }
      }
      const mayGrow = unfinished.length === 0 || unfinished.length < shards.length;
      await (mayGrow ? Promise.race([ended, sleep(discoveryMilliseconds, undefined, { signal })]) : ended);
    }
  }

  #position(shard: FoundShard): Position | undefined {
    const { positions, plan } = this.#options;
    return positions.of(plan.id, shardKey(shard));
  }

  async #read(shard: FoundShard): Promise<void> {
    const { streams, plan, positions, gatherMilliseconds } = this.#options;
    const { signal } = this.#stopping;
    const position = this.#position(shard);
    let iterator = await streams.iterator(
      shard,
      position && position !== 'finished'
        ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: position.after }
        : { ShardIteratorType: plan.StartingPosition },
    );
    while (iterator && !signal.aborted) {
      const announcement = this.#announcement.promise;
      const { records, next, isLast } = await streams.page(iterator);
      for (let start = 0; start < records.length; start += plan.BatchSize) {
        await this.#deliver(shard, records.slice(start, start + plan.BatchSize));
      }
      iterator = next;
      if (isLast && iterator) {
        await announcement;
        await sleep(gatherMilliseconds, undefined, { signal });
      }
    }
    if (signal.aborted) {
      return;
    }
    positions.set(plan.id, shardKey(shard), 'finished');
    this.#ended.resolve();
    this.#ended = Promise.withResolvers();
  }

  async #deliver(shard: FoundShard, records: readonly WireRecord[]): Promise<void> {
    const { plan, invoke, positions } = this.#options;
    const { signal } = this.#stopping;
    const patterns = plan.FilterCriteria.Filters.map(({ Pattern }) => Pattern);
    const wanted = records
      .filter((record) => passes(patterns, record))
      .map((record) => streamRecord(record, plan.EventSourceArn));
    const note = ({ dynamodb: { SequenceNumber: after } }: WireRecord) =>
      positions.set(plan.id, shardKey(shard), { after });
    const delivery: BatchDelivery = {
      plan,
      invoke: async (Records) => {
        signal.throwIfAborted();
        return invoke({ Records }).catch((error: unknown) => {
          signal.throwIfAborted(); // The function did not fail; it was ended.
          throw error;
        });
      },
      pause: async (attempt) => {
        const longest = Math.min(shortestRetryMilliseconds * 2 ** attempt, longestRetryMilliseconds);
        await sleep(longest * (0.5 + Math.random() / 2), undefined, { signal });
      },
      onProgress: note,
      onFailure: (given, condition, attempts) => this.#giveUp(shard, given, condition, attempts),
      now: Date.now,
    };
    await deliverBatch(wanted, delivery);
    const last = records.at(-1);
    if (last) {
      note(last);
    }
  }

  async #giveUp(
    shard: FoundShard,
    records: StreamRecord[],
    condition: string,
    attempts: number,
  ): Promise<void> {
    const { plan, setAside, log } = this.#options;
    const functionName = functionNameIn(plan.FunctionName);
    log(
      `${functionName}: gave up ${records.length} records of ${plan.tableName} (${condition}, ${attempts} attempts)`,
    );
    const destination = plan.DestinationConfig.OnFailure.Destination;
    await setAside({ mapping: plan.id, destination, functionName, shard, records, condition, attempts });
  }

  /** Runs work that lasts as long as the source, and starts it again when a request to the database fails. */
  async #persist(work: () => Promise<void>): Promise<void> {
    const { plan, log } = this.#options;
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        return await work();
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        log(`The stream of ${plan.tableName} cannot be read, trying again: ${error}`);
        const pause = Math.min(longestRetryMilliseconds, shortestRetryMilliseconds * 2 ** failures);
        await sleep(pause, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
