import { dueRange } from '../../functions/clock/model/due-reader.ts';
import runDueOperations from '../../functions/clock/run-due-operations.ts';
import { type DueEntry, dueParts } from '../../shared/events/due-entry.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveSchedule } from '../../shared/kernel/serve/serve-schedule.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import type { Product } from './product.ts';

const everyPart = Array.from({ length: dueParts }, (_, part) => part);

/** The figures of a run of the clock, by outcome; outcomes that did not occur are 0. */
export type Figures = Readonly<Record<string, number>>;

/** The clock of the product, which runs when a test says so. */
export function clockClient(product: Product) {
  const { ports } = newInvocation(systemRuntime, product.providers);
  const { platform } = ports({ platform: 'write' }, undefined) as Ports<{ platform: 'write' }>;
  return {
    platform,
    /** Runs the clock at this time, all parts unless stated; the sums of their figures. Rejects when one of them fails. */
    async run(at: Date, parts: readonly number[] = everyPart): Promise<Figures> {
      const sums: Record<string, number> = {};
      const runtime = {
        ...systemRuntime,
        clock: () => at,
        log: ({ operation: _, part: __, level: ___, ...line }: Record<string, unknown>) => {
          for (const [figure, value] of Object.entries(line)) {
            sums[figure] = (sums[figure] ?? 0) + Number(value);
          }
        },
      };
      const providers = { ...product.providers, queue: () => product.queues.workflowRuns };
      const handle = serveSchedule('run-due-operations', runDueOperations, providers, runtime);
      const runs = await Promise.allSettled(parts.map((part) => handle({ part })));
      const failed = runs.find((run) => run.status === 'rejected');
      if (failed !== undefined) {
        throw failed.reason;
      }
      return sums;
    },
    /** The entries that are due by this time. */
    async waitingUntil(at: Date): Promise<DueEntry[]> {
      const ranges = everyPart.map((part) =>
        dueRange(String(part), { from: undefined, to: `${timestamp(at)}~` }),
      );
      return (await Promise.all(ranges.map((range) => platform.list(range)))).flat().map(({ data }) => data);
    },
  };
}
