import type { Consumption } from '../../shared/kernel/ports.ts';
import type { Tenants } from '../harness/tenants.ts';
import { median } from './figures.ts';
import { runsToMeasure, type Try } from './measured-runs.ts';
import { type NodeSample, nodeSamples } from './workflow-samples.ts';

/**
 * The units that an action of a run consumes in all, and how many of the write units are those of its effect: its operation, with the rows that
 * the node exists for, such as the end of a wait, the event it waits for, or the next turn.
 */
export interface Measurement {
  readonly name: string;
  readonly consumed: Consumption;
  readonly effect: number;
  /** Milliseconds of processor time, the median. */
  readonly cpu: number;
}

export interface MeasuredWorkflows {
  /** Steps after which the run goes on at once. */
  readonly steps: readonly Measurement[];
  /** Steps that begin a wait. */
  readonly waits: readonly Measurement[];
  readonly others: readonly Measurement[];
}

/** How often each sample is run. */
const times = 5;

/** Measures each type of node as a step in the middle of a run, and the start, the wait and the end of a run. */
export async function measureWorkflows(tenants: Tenants): Promise<MeasuredWorkflows> {
  const bench = await runsToMeasure(tenants);
  const all: (Measurement & Pick<NodeSample, 'does'>)[] = [];
  for (const sample of await nodeSamples(tenants)) {
    const { name, does } = sample;
    all.push({ ...(await measured(name, () => bench.step(sample))), does });
  }
  return {
    steps: all.filter(({ does }) => does === 'passes'),
    waits: all.filter(({ does }) => does === 'waits'),
    others: [
      ...all.filter(({ does }) => does === 'ends'),
      await measured('start by an event', bench.start),
      await measured('end of a wait by the clock', bench.endOfWait),
      await measured('answer to an httpRequest', bench.answer),
      await measured('first step after a wait', bench.continue),
      await measured('last step (addNote)', bench.end),
    ],
  };
}

async function measured(name: string, attempt: () => Promise<Try>): Promise<Measurement> {
  await attempt(); // What is read once a process is read now.
  const tries: Try[] = [];
  while (tries.length < times) {
    tries.push(await attempt());
  }
  const of = (key: keyof Consumption) => median(tries.map(({ consumed }) => consumed[key]));
  return {
    name,
    consumed: {
      requests: of('requests'),
      roundTrips: of('roundTrips'),
      readUnits: of('readUnits'),
      writeUnits: of('writeUnits'),
    },
    effect: median(tries.map(({ effect }) => effect)),
    cpu: median(tries.map(({ cpu }) => cpu)),
  };
}
