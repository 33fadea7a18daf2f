import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  type Shard,
} from '@aws-sdk/client-dynamodb-streams';
import { passes } from './filter-patterns.ts';
import { account, region } from './intrinsics.ts';
import { functionNameIn, type StreamPlan } from './plan.ts';
import { type BatchDelivery, deliverBatch } from './stream-batch.ts';
import { type StreamRecord, streamRecord } from './stream-records.ts';
import { within } from './time-limit.ts';

/** How far a mapping has read a shard: the last sequence number that it has finished, or all of it. */
export type Position = { after: string } | 'finished';

export interface StreamSourceOptions {
  client: DynamoDBStreamsClient;
  plan: StreamPlan;
  invoke(event: unknown): Promise<unknown>;
  /** Takes a record for the on-failure destination, which is the ARN of a queue. */
  sendToQueue(arn: string, body: unknown): Promise<void>;
  positionOf(shard: string): Position | undefined;
  savePosition(shard: string, position: Position): Promise<void>;
  /** The source finds a change that nobody announced after this long. */
  idleMilliseconds: number;
  log(line: string): void;
}

/** After several announcements within this time the source looks once. */
const shortestPauseMilliseconds = 10;
const discoveryMilliseconds = 30_000;
const shortestRetryMilliseconds = 100;
const longestRetryMilliseconds = 10_000;

/** Reads a table's stream for one event source mapping and feeds its function, until it is stopped. */
export class StreamSource {
  readonly #options: StreamSourceOptions;
  readonly #stopping = new AbortController();
  readonly #readers = new Map<string, Promise<void>>();
  #wake = Promise.withResolvers<void>();
  readonly #running: Promise<void>;

  constructor(options: StreamSourceOptions) {
    this.#options = options;
    this.#running = this.#persist(() => this.#discover());
  }

  /** Makes the source look at once: something may just have been written. */
  nudge(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  /** Resolves when no more is read; a batch under way is left unfinished and comes again after the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.nudge();
    await this.#running;
    await Promise.all(this.#readers.values());
  }

  /** Looks for shards now and then: a shard ends after some hours, except on the embedded database. */
  async #discover(): Promise<void> {
    const { client, plan } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const { Streams = [] } = await client.send(new ListStreamsCommand({ TableName: plan.tableName }));
      for (const { StreamArn = '' } of Streams) {
        const shards = await this.#shards(StreamArn);
        const unfinished = new Set(
          shards.map(({ ShardId }) => ShardId).filter((id) => !this.#isFinished(StreamArn, id)),
        );
        for (const { ShardId, ParentShardId } of shards) {
          // A shard comes after its parent, or the changes of an item would change places.
          if (!ShardId || !unfinished.has(ShardId) || unfinished.has(ParentShardId)) {
            continue;
          }
          const key = shardKey(StreamArn, ShardId);
          if (this.#readers.has(key)) {
            continue;
          }
          this.#readers.set(
            key,
            this.#persist(() => this.#read(StreamArn, ShardId)),
          );
        }
      }
      await sleep(discoveryMilliseconds, undefined, { signal: this.#stopping.signal });
    }
  }

  #isFinished(streamArn: string, shardId: string | undefined): boolean {
    return this.#options.positionOf(shardKey(streamArn, shardId)) === 'finished';
  }

  async #shards(StreamArn: string): Promise<Shard[]> {
    const shards: Shard[] = [];
    let ExclusiveStartShardId: string | undefined;
    do {
      const page = await this.#options.client.send(
        new DescribeStreamCommand({ StreamArn, ...(ExclusiveStartShardId && { ExclusiveStartShardId }) }),
      );
      shards.push(...(page.StreamDescription?.Shards ?? []));
      ExclusiveStartShardId = page.StreamDescription?.LastEvaluatedShardId;
    } while (ExclusiveStartShardId);
    return shards;
  }

  async #read(streamArn: string, shardId: string): Promise<void> {
    const { client, plan, savePosition, idleMilliseconds } = this.#options;
    const { signal } = this.#stopping;
    let iterator = await this.#iterator(streamArn, shardId);
    while (iterator && !signal.aborted) {
      const wake = this.#wake.promise;
      const page = await client.send(new GetRecordsCommand({ ShardIterator: iterator }));
      iterator = page.NextShardIterator;
      const batch = (page.Records ?? []).map((record) => streamRecord(record, plan.EventSourceArn));
      while (batch.length > 0) {
        await this.#deliver(streamArn, shardId, batch.splice(0, plan.BatchSize));
      }
      if (page.Records?.length) {
        continue;
      }
      await within(idleMilliseconds, wake).catch(() => undefined);
      await sleep(shortestPauseMilliseconds);
    }
    if (signal.aborted) {
      return;
    }
    await savePosition(shardKey(streamArn, shardId), 'finished');
  }

  async #iterator(StreamArn: string, ShardId: string): Promise<string | undefined> {
    const { client, plan, positionOf } = this.#options;
    const position = positionOf(shardKey(StreamArn, ShardId));
    const from =
      position && position !== 'finished'
        ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber: position.after }
        : { ShardIteratorType: plan.StartingPosition };
    const { ShardIterator } = await client.send(new GetShardIteratorCommand({ StreamArn, ShardId, ...from }));
    return ShardIterator;
  }

  async #deliver(streamArn: string, shardId: string, records: StreamRecord[]): Promise<void> {
    const { plan, invoke, savePosition } = this.#options;
    const { signal } = this.#stopping;
    const done = ({ dynamodb }: StreamRecord) =>
      savePosition(shardKey(streamArn, shardId), { after: dynamodb.SequenceNumber });
    const patterns = plan.FilterCriteria.Filters.map(({ Pattern }) => Pattern);
    const wanted = records.filter((record) => passes(patterns, record));
    const delivery: BatchDelivery = {
      plan,
      invoke: async (Records) => {
        signal.throwIfAborted();
        return invoke({ Records }).catch((error: unknown) => {
          signal.throwIfAborted(); // The function did not fail, it was ended.
          throw error;
        });
      },
      pause: async (attempt) => {
        const longest = Math.min(shortestRetryMilliseconds * 2 ** attempt, longestRetryMilliseconds);
        await sleep(longest * (0.5 + Math.random() / 2), undefined, { signal });
      },
      onProgress: done,
      onFailure: (given, condition, attempts) =>
        this.#giveUp({ given, condition, attempts, streamArn, shardId }),
      now: Date.now,
    };
    await deliverBatch(wanted, delivery);
    const last = records.at(-1);
    if (last) {
      await done(last);
    }
  }

  async #giveUp(failure: {
    given: StreamRecord[];
    condition: string;
    attempts: number;
    streamArn: string;
    shardId: string;
  }): Promise<void> {
    const { given, condition, attempts, streamArn, shardId } = failure;
    const { plan, sendToQueue, log } = this.#options;
    const name = functionNameIn(plan.FunctionName);
    log(`${name}: gave up ${given.length} records of ${plan.tableName} (${condition}, ${attempts} attempts)`);
    const { Destination } = plan.DestinationConfig.OnFailure;
    const [first, last] = [given[0]?.dynamodb, given.at(-1)?.dynamodb];
    if (!first || !last) {
      return;
    }
    const time = (seconds: number) => new Date(seconds * 1000).toISOString();
    await sendToQueue(Destination, {
      requestContext: {
        requestId: randomUUID(),
        functionArn: `arn:aws:lambda:${region}:${account}:function:${name}`,
        condition,
        approximateInvokeCount: attempts,
      },
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      version: '1.0',
      timestamp: new Date().toISOString(),
      DDBStreamBatchInfo: {
        shardId,
        startSequenceNumber: first.SequenceNumber,
        endSequenceNumber: last.SequenceNumber,
        approximateArrivalOfFirstRecord: time(first.ApproximateCreationDateTime),
        approximateArrivalOfLastRecord: time(last.ApproximateCreationDateTime),
        batchSize: given.length,
        streamArn,
      },
    });
  }

  /** Does what goes on for as long as the source runs; takes it up again when the database fails it. */
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

/** Names a shard among those of every stream that a data directory has ever seen. */
function shardKey(streamArn: string, shardId: string | undefined): string {
  return `${streamArn} ${shardId}`;
}
