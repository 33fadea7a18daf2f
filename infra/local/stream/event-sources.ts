import { isDeepStrictEqual } from 'node:util';
import { functionNameIn, type StreamPlan } from '../template/plan.ts';
import type { GivenUp } from './stream-failures.ts';
import { openPositions } from './stream-positions.ts';
import type { StreamRequests } from './stream-requests.ts';
import { StreamSource } from './stream-source.ts';

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

/** The running event source mappings of table streams. */
export interface EventSources {
  /** Runs these mappings from now on; each continues where it stopped reading. */
  run(plans: StreamPlan[]): Promise<void>;
  /** Makes every source look for changes now. */
  nudge(): void;
  stop(): Promise<void>;
}

export async function openEventSources(options: EventSourcesOptions): Promise<EventSources> {
  const positions = await openPositions(options.file);
  const running = new Map<string, { plan: StreamPlan; source: StreamSource }>();
  const nudge = () => {
    for (const { source } of running.values()) {
      source.announce();
    }
  };
  const idle = setInterval(nudge, options.idleMilliseconds);

  function start(plan: StreamPlan): StreamSource {
    const functionName = functionNameIn(plan.FunctionName);
    return new StreamSource({
      ...options,
      plan,
      positions,
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
      const wanted = new Map(plans.map((plan) => [plan.id, plan]));
      const changed = [...running].filter(([id, { plan }]) => !isDeepStrictEqual(plan, wanted.get(id)));
      await stop(changed.map(([id]) => id));
      for (const plan of plans) {
        if (!running.has(plan.id)) {
          running.set(plan.id, { plan, source: start(plan) });
        }
      }
    },
    nudge,
    async stop() {
      clearInterval(idle);
      await stop([...running.keys()]);
      options.streams.close();
      await positions.close();
    },
  };
}
