import { isDeepStrictEqual } from 'node:util';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import * as z from 'zod';
import { durableValue } from './durable-file.ts';
import { functionNameIn, type StreamPlan } from './plan.ts';
import { StreamSource } from './stream-source.ts';

/** How far each mapping has read each shard, by the mapping's id. */
const Positions = z.record(
  z.string(),
  z.record(z.string(), z.union([z.object({ after: z.string() }), z.literal('finished')])),
);

export interface EventSourcesOptions {
  client: DynamoDBStreamsClient;
  /** Keeps the positions; without it they are forgotten at the stop. */
  file: string | undefined;
  invoke(functionName: string, event: unknown): Promise<unknown>;
  sendToQueue(arn: string, body: unknown): Promise<void>;
  /** The source finds a change that nobody announced after this long. */
  idleMilliseconds: number;
  log(line: string): void;
}

/** The event source mappings that run now. */
export interface EventSources {
  /** Runs these mappings from now on; each goes on where it has read to. */
  run(plans: StreamPlan[]): Promise<void>;
  /** Makes every source look for changes at once. */
  nudge(): void;
  stop(): Promise<void>;
}

export async function openEventSources(options: EventSourcesOptions): Promise<EventSources> {
  const positions = await durableValue({ file: options.file, schema: Positions, initial: {} });
  const running = new Map<string, { plan: StreamPlan; source: StreamSource }>();

  function start(plan: StreamPlan): StreamSource {
    const functionName = functionNameIn(plan.FunctionName);
    return new StreamSource({
      ...options,
      plan,
      invoke: (event) => options.invoke(functionName, event),
      positionOf: (shard) => positions.current()[plan.id]?.[shard],
      async savePosition(shard, position) {
        await positions.change((all) => ({ ...all, [plan.id]: { ...all[plan.id], [shard]: position } }));
      },
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
      for (const { source } of running.values()) {
        source.nudge();
      }
    },
    stop: () => stop([...running.keys()]),
  };
}
