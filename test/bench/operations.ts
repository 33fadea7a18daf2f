import { type OperationCase, operationsWithCases } from '../access/operations.ts';
import { costCaller, costs } from '../costs/costs.ts';
import { reasons } from '../costs/reasons.ts';
import type { Verdict } from './budgets.ts';
import { median, timed } from './figures.ts';
import { makeHandler, toHttpEvent } from './kernel.ts';
import type { Setup } from './setup.ts';
import { type Cell, figure, textTable } from './table.ts';

export interface Measured {
  readonly name: string;
  readonly summary: string;
  /** Milliseconds of each request. */
  readonly samples: readonly number[];
  /** Milliseconds of processor time, the median. */
  readonly cpu: number;
}

/** Requests of each operation, after a first one. */
const samplesOfEach = 16;

/** Times every HTTP operation that users may call with the request of its case. A new operation is included without any change here. */
export async function measureOperations(setup: Setup): Promise<Measured[]> {
  const measured: Measured[] = [];
  const all = await operationsWithCases();
  for (const one of all.filter(({ accessCase }) => accessCase.byKey === undefined)) {
    measured.push(await measure(one, setup));
  }
  return measured;
}

async function measure(
  { name, operation, accessCase }: OperationCase,
  { tenants }: Setup,
): Promise<Measured> {
  const person = costCaller(operation.minimumRole, tenants);
  const expected = accessCase.status ?? operation.status ?? 200;
  const handle = await makeHandler(tenants.product, { name, operation });
  const call = async () => {
    const event = toHttpEvent(await accessCase.request(tenants, tenants.rep), person);
    const { ms, cpu, result } = await timed(() => handle(event));
    if (result.status !== expected) {
      throw new Error(`${name} returned ${result.status}, not ${expected}: ${result.body.slice(0, 300)}`);
    }
    return { ms, cpu };
  };
  await call();
  const calls: { ms: number; cpu: number }[] = [];
  while (calls.length < samplesOfEach) {
    calls.push(await call());
  }
  return {
    name,
    summary: operation.summary,
    samples: calls.map(({ ms }) => ms),
    cpu: median(calls.map(({ cpu }) => cpu)),
  };
}

export function operationsTable(measured: readonly Measured[]): string {
  return textTable(
    ['operation', 'trips', 'RU', 'WU', 'p50 ms', 'longest ms', 'CPU ms'],
    measured.map(({ name, samples, cpu }): Cell[] => {
      const { roundTrips, readUnits, writeUnits } = costs[name] ?? {};
      const times = [median(samples), Math.max(...samples), cpu].map((ms) => figure(ms, 2));
      return [name, ...[roundTrips, readUnits, writeUnits].map((count) => count ?? '?'), ...times];
    }),
  );
}

/** One for all that make few round trips, and one for each that needs more. */
export function operationVerdicts(measured: readonly Measured[]): Verdict[] {
  const most = 2;
  const tripsOf = ({ name }: Measured) => costs[name]?.roundTrips ?? Number.POSITIVE_INFINITY;
  const more = measured.filter((measurement) => tripsOf(measurement) > most);
  return [
    {
      promise: `${measured.length - more.length} of ${measured.length} requests: at most ${most} round trips`,
      measured: 'all of them',
      kept: true,
    },
    ...more.map((measurement) => ({
      promise: `${measurement.name}: more than ${most} round trips only for a reason`,
      measured: `${tripsOf(measurement)}: ${reasons[measurement.name] ?? 'none'}`,
      kept: reasons[measurement.name] !== undefined,
    })),
  ];
}
