import { isDeepStrictEqual } from 'node:util';
import { functionNameIn, type StreamPlan } from '../template/plan.ts';
import type { GivenUp } from './stream-failures.ts';
import { openPositions, shardKey } from './stream-positions.ts';
import type { StreamRequests } from './stream-requests.ts';
import { StreamSource } from './stream-source.ts';
import { TableStream } from './table-stream.ts';

export interface EventSourcesOptions {
  streams: StreamRequests;
  /** The file of the positions; without it they are lost when the host stops. */
  file: string | undefined;
  invoke(functionName: string, event: unknown): Promise<unknown>;
  setAside(givenUp: GivenUp): Promise<void>;
  gatherMilliseconds: number;
  /** How long it takes at most to find a change that was not announced. */
  idleMilliseconds: number;
  log(line: string): void;
}

/** The records of a shard up to a sequence number, which nobody reads again. */
export interface ReadRecords {
  tableName: string;
  shardId: string;
  upTo: number;
}

/** The running event source mappings of table streams. */
export interface EventSources {
  /** Runs these mappings from now on; each continues where it stopped reading. */
  run(plans: StreamPlan[]): Promise<void>;
  /** Makes every source look for changes now. */
  nudge(): void;
  /**
   * The records of the embedded database that every mapping has read, even if the host were killed now. A mapping that has just been
   * added has read nothing, so that there are none.
   */
  readByAll(): ReadRecords[];
  stop(): Promise<void>;
}

export async function openEventSources(options: EventSourcesOptions): Promise<EventSources> {
  const positions = await openPositions(options.file);
  const running = new Map<string, { plan: StreamPlan; source: StreamSource }>();
  const streams = new Map<string, TableStream>();
  /** The mappings that run or are about to. */
  let mappings: readonly StreamPlan[] = [];

  function streamOf(tableName: string): TableStream {
    const stream =
      streams.get(tableName) ?? new TableStream(options.streams, tableName, options.idleMilliseconds);
    streams.set(tableName, stream);
    return stream;
  }

  function start(plan: StreamPlan): StreamSource {
    const functionName = functionNameIn(plan.FunctionName);
    return new StreamSource({
      ...options,
      plan,
      positions,
      stream: streamOf(plan.tableName),
      invoke: (event) => options.invoke(functionName, event),
    });
  }

  async function stop(ids: string[]): Promise<void> {
    const sources = ids.map((id) => running.get(id)?.source);
    for (const id of ids) {
      running.delete(id);
    }
    await Promise.all(sources.map((source) => source?.stop()));
  }

  return {
    async run(plans) {
      mappings = plans;
      const wanted = new Map(plans.map((plan) => [plan.id, plan]));
      const changed = [...running].filter(([id, { plan }]) => !isDeepStrictEqual(plan, wanted.get(id)));
      await stop(changed.map(([id]) => id));
      for (const plan of plans) {
        if (!running.has(plan.id)) {
          running.set(plan.id, { plan, source: start(plan) });
        }
      }
    },
    nudge() {
      for (const stream of streams.values()) {
        stream.announce();
      }
    },
    readByAll() {
      return [...streams].flatMap(([tableName, { knownShards }]) => {
        const ids = mappings.filter((plan) => plan.tableName === tableName).map(({ id }) => id);
        return knownShards.flatMap((shard) => {
          const read = ids.map((id) => {
            const position = positions.saved(id, shardKey(shard));
            return typeof position === 'object' ? Number(position.after) : 0;
          });
          const upTo = read.length === 0 ? 0 : Math.min(...read);
          return upTo > 0 ? [{ tableName, shardId: shard.ShardId, upTo }] : [];
        });
      });
    },
    async stop() {
      await stop([...running.keys()]);
      for (const stream of streams.values()) {
        stream.close();
      }
      options.streams.close();
      await positions.close();
    },
  };
}
