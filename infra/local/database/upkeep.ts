import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ReadRecords } from '../stream/event-sources.ts';
import type { TablePlan } from '../template/plan.ts';
import { type DatabaseFile, openDatabaseFile } from './database-file.ts';
import { deleteExpiredItems } from './expiry.ts';

export interface UpkeepOptions {
  /** The file of the embedded database; undefined for one in memory, which ends soon and needs no upkeep. */
  file: string | undefined;
  client: DynamoDBClient;
  table(): TablePlan;
  /** The records of the streams that nobody reads again. */
  readByAll(): ReadRecords[];
  log(line: string): void;
}

/** Deletes expired items and old records of streams, as DynamoDB does by itself and the embedded database does not. */
export interface Upkeep {
  /** Deletes what is due at `now` (milliseconds since 1970). Never rejects; what fails is left for the next time. */
  tidy(now: number): Promise<void>;
  /** Resolves when nothing more is done. */
  stop(): Promise<void>;
}

const expiryMilliseconds = 10 * 60_000;
/** How many records are deleted at once: the database waits some milliseconds for it. */
const recordsPerTrim = 500;
/** The pause between two deletions, in which the database has time for requests. */
const pauseMilliseconds = 100;

export function upkeep({ file: path, client, table, readByAll, log }: UpkeepOptions): Upkeep {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** The sequence number up to which the records of each shard are known to be deleted. */
  const trimmed = new Map<string, number>();
  let expiredAt = 0;
  let running: Promise<void> | undefined;

  /** The shards with enough records to delete to be worth a thread. */
  const trimmable = () =>
    readByAll().filter(({ shardId, upTo }) => upTo - (trimmed.get(shardId) ?? 0) >= recordsPerTrim);

  async function trim(file: DatabaseFile): Promise<void> {
    for (let records = trimmable(); records.length > 0; records = trimmable()) {
      for (const one of records) {
        // `readByAll` is called again before each deletion: a reader that has been added since may still need the records.
        const deleted = await file.trim({ ...one, most: recordsPerTrim });
        if (deleted < recordsPerTrim) {
          trimmed.set(one.shardId, one.upTo);
        }
      }
      await sleep(pauseMilliseconds, undefined, { signal });
    }
  }

  async function work(databaseFile: string, now: number): Promise<void> {
    const isExpiryDue = now - expiredAt >= expiryMilliseconds;
    if (!isExpiryDue && trimmable().length === 0) {
      return;
    }
    try {
      await using file = openDatabaseFile(databaseFile, signal);
      if (isExpiryDue) {
        await deleteExpiredItems(client, file, table(), now);
        expiredAt = now;
      }
      await trim(file);
    } catch (error) {
      if (!signal.aborted) {
        log(`The database could not be cleaned up; this will be tried again: ${error}`);
      }
    }
  }

  return {
    async tidy(now) {
      if (path === undefined || signal.aborted) {
        return;
      }
      running ??= work(path, now).finally(() => {
        running = undefined;
      });
      await running;
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
