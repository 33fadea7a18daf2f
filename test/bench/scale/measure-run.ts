import type { Uses } from '../../../shared/kernel/operation.ts';
import { newInvocation, type Providers, systemRuntime } from '../../../shared/kernel/serve/invocation.ts';
import type { Cost } from '../../costs/costs.ts';
import { median, timed } from '../figures.ts';

/** What runs of functions consume, and their milliseconds of processor time. */
export interface Used extends Cost {
  readonly cpu: number;
}

interface Triggered {
  readonly uses: Uses;
  run(input: never, context: never): unknown;
}

/** Runs an operation that no request runs, as its function does. */
export async function measureRun(
  { uses, run }: Triggered,
  input: unknown,
  providers: Providers,
  now = new Date(),
): Promise<Used> {
  const clock = () => now;
  const invocation = newInvocation({ ...systemRuntime, clock }, providers);
  const own = { ...invocation.ports(uses), ...invocation.clock };
  const context = { ...own, clock, sentAt: now, delivery: 1, deadline: invocation.deadline };
  const { cpu } = await timed(async () => run(input as never, context as never));
  return { ...invocation.consumed(), cpu };
}

/** Enough to know what one costs. */
const times = 15;

/** Measures the same several times, after a first one: of each figure the median. */
export async function measureOften(measure: () => Promise<Used>): Promise<Used> {
  await measure();
  const runs: Used[] = [];
  while (runs.length < times) {
    runs.push(await measure());
  }
  return used((figure) => median(runs.map((run) => run[figure])));
}

export const used = (value: (figure: keyof Used) => number): Used => ({
  roundTrips: value('roundTrips'),
  readUnits: value('readUnits'),
  writeUnits: value('writeUnits'),
  cpu: value('cpu'),
});
