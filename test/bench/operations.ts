import { reaches } from '../../shared/kernel/caller.ts';
import type { Consumption } from '../../shared/kernel/ports.ts';
import { operationsWithRows, type Rowed } from '../access/operations.ts';
import type { Person } from '../harness/product.ts';
import { budgets, moreRoundTrips, type Verdict } from './budgets.ts';
import { median, timed } from './figures.ts';
import { firstCall } from './first-call.ts';
import { type Floors, floors } from './floors.ts';
import { eventOf, handlerOf, type Outcome } from './kernel.ts';
import { knownNumbers } from './known-numbers.ts';
import type { Setup } from './setup.ts';
import { type Cell, figure, textTable } from './table.ts';

export interface Measured {
  /** The operation's, and what is special about another request than that of its row. */
  readonly name: string;
  readonly summary: string;
  /** `cold` is the first call of a process, `warm` is a later one. */
  readonly cold: Consumption;
  readonly warm: Consumption;
  readonly samples: readonly number[];
  /** Milliseconds of processor time of a warm call, the median. */
  readonly cpu: number;
  readonly floor: keyof Floors;
  readonly floorSamples: readonly number[];
}

/**
 * Warm calls of each operation. Only a few, because what a call adds makes later calls more expensive: a list costs as much as its page,
 * and operations that create records come before it. The same number on every machine, so that the units are the same everywhere.
 */
const samplesOfEach = 16;

/** Measures every HTTP operation with the request of its row. A new operation is included without any change here. */
export async function measureOperations(setup: Setup): Promise<Measured[]> {
  const rowed = await operationsWithRows();
  return measureAll(
    rowed.map((row) => ({ ...row, title: row.name })),
    setup,
  );
}

/** The operations on numbers that contacts have. */
export async function measureKnownNumbers(setup: Setup): Promise<Measured[]> {
  const rowed = new Map((await operationsWithRows()).map((one) => [one.name, one]));
  const titled = knownNumbers.map(({ operation, of, row }) => {
    const one = rowed.get(operation);
    if (one === undefined) {
      throw new Error(`There is no operation ${operation}.`);
    }
    return { ...one, row, title: `${operation} ${of}` };
  });
  return measureAll(titled, setup);
}

type Titled = Rowed & { readonly title: string };

async function measureAll(all: readonly Titled[], setup: Setup): Promise<Measured[]> {
  const bare = await floors();
  const measured: Measured[] = [];
  for (const one of all) {
    measured.push(await measure(one, setup, bare));
  }
  return measured;
}

async function measure(one: Titled, setup: Setup, bare: Floors): Promise<Measured> {
  const { name, title, operation, row } = one;
  const { world, resources, https } = setup;
  const person = callerOf(one, setup);
  const nextEvent = async () => eventOf(await row.request(world, world.rep), person);

  const file = https.get(name)?.file ?? '';
  const cold = expectAnswer(one, await firstCall({ name, file, event: await nextEvent(), resources }));
  const handle = await handlerOf(name, operation, resources);
  const call = async () => {
    const event = await nextEvent();
    const { ms, cpu, result } = await timed(() => handle(event));
    return { ms, cpu, consumed: expectAnswer(one, result) };
  };
  const floor = cold.writeUnits > 0 ? 'write' : 'read';
  await call();
  await bare[floor]();

  const calls: { ms: number; cpu: number; consumed: Consumption }[] = [];
  const floorSamples: number[] = [];
  while (calls.length < samplesOfEach) {
    calls.push(await call());
    floorSamples.push((await timed(bare[floor])).ms);
  }
  const { summary } = operation;
  return {
    name: title,
    summary,
    cold,
    warm: typical(calls),
    samples: calls.map(({ ms }) => ms),
    cpu: median(calls.map(({ cpu }) => cpu)),
    floor,
    floorSamples,
  };
}

/** The user with the lowest role that may call the operation; nobody if it needs no login. */
function callerOf({ operation: { minimumRole } }: Rowed, { world }: Setup): Person | undefined {
  const { rep, head, admin, superadmin } = world;
  return minimumRole === 'anyone'
    ? undefined
    : [rep, head, admin, superadmin].find(({ role }) => reaches(role, minimumRole));
}

function expectAnswer({ name, operation, row }: Rowed, { status, body, consumed }: Outcome): Consumption {
  const expected = row.status ?? operation.status ?? 200;
  if (status !== expected) {
    throw new Error(`${name} returned ${status} instead of ${expected}: ${body.slice(0, 300)}`);
  }
  return consumed;
}

function typical(calls: readonly { consumed: Consumption }[]): Consumption {
  const of = (key: keyof Consumption) => median(calls.map(({ consumed }) => consumed[key]));
  return {
    requests: of('requests'),
    roundTrips: of('roundTrips'),
    readUnits: of('readUnits'),
    writeUnits: of('writeUnits'),
  };
}

export function operationsTable(measured: readonly Measured[]): string {
  const header = [
    'operation',
    'trips',
    'requests',
    'RU',
    'WU',
    'p50 ms',
    'longest ms',
    'ratio',
    'floor',
    'first call',
  ];
  return textTable(header, measured.map(rowOf));
}

function rowOf({ name, cold, warm, samples, floor, floorSamples }: Measured): Cell[] {
  return [
    name,
    warm.roundTrips,
    warm.requests,
    warm.readUnits,
    warm.writeUnits,
    figure(median(samples), 2),
    figure(Math.max(...samples), 2),
    figure(median(samples) / median(floorSamples), 1),
    `${floor} ${figure(median(floorSamples), 2)}`,
    cold.roundTrips === warm.roundTrips && cold.readUnits === warm.readUnits
      ? ''
      : `${cold.roundTrips} trips, ${cold.readUnits} RU`,
  ];
}

export function operationVerdicts(measured: readonly Measured[]): Verdict[] {
  return [...tripsVerdicts(measured), ...singleVerdicts(measured)];
}

/** One for all that keep the common promise, and one for each that needs more. */
function tripsVerdicts(measured: readonly Measured[]): Verdict[] {
  const { roundTrips: usual, firstRoundTrips: first } = budgets.operation;
  const others = measured.filter(
    ({ warm, cold, name }) => warm.roundTrips > usual || cold.roundTrips > first || name in moreRoundTrips,
  );
  return [
    {
      promise: `${measured.length - others.length} of ${measured.length} requests: at most ${usual} round trips, ${first} in the first call of a process`,
      measured: 'all of them',
      kept: true,
    },
    ...others.map(({ name, warm, cold }) => {
      const { trips, why, atFirst } = moreRoundTrips[name] ?? { trips: usual, why: 'as all others' };
      const most = atFirst?.trips ?? Math.max(trips, first);
      const because = atFirst === undefined ? why : `${why}; at first: ${atFirst.why}`;
      return {
        promise: `${name}: at most ${trips} round trips, ${most} in the first call of a process: ${because}`,
        measured: `${warm.roundTrips} and ${cold.roundTrips}`,
        kept: warm.roundTrips <= trips && cold.roundTrips <= most,
      };
    }),
  ];
}

function singleVerdicts(measured: readonly Measured[]): Verdict[] {
  const { create, refresh } = budgets;
  return measured.flatMap(({ name, warm: { writeUnits, roundTrips, requests } }): Verdict[] => {
    switch (name) {
      case 'create-contact':
        return [
          {
            promise: `create-contact: at most ${create.writeUnits} write units in ${create.roundTrips} round trip`,
            measured: `${writeUnits} in ${roundTrips}`,
            kept: writeUnits <= create.writeUnits && roundTrips <= create.roundTrips,
          },
        ];
      case 'refresh':
        return [
          {
            promise: `refresh: one conditional write, ${refresh.writeUnits} write unit`,
            measured: `${writeUnits} of ${requests} requests`,
            kept: writeUnits === refresh.writeUnits,
          },
        ];
      default:
        return [];
    }
  });
}
