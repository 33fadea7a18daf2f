import { budgets, type Verdict } from './budgets.ts';
import { functionTime, prices, usualMemory } from './scale/prices.ts';
import { type Cell, figure, markdownTable, textTable } from './table.ts';
import type { MeasuredWorkflows, Measurement } from './workflows.ts';

/** The columns: what is consumed in all, what is left without the effect, and the dollars for a million. */
const header = [
  'trips',
  'RU',
  'WU',
  'of the effect',
  'beside it',
  'CPU ms',
  'table $',
  'function $',
  'all $',
];

export const workflowTables = (measured: MeasuredWorkflows): string => tablesOf(measured, textTable);

/** The same as Markdown. */
export const workflowMarkdown = (measured: MeasuredWorkflows): string =>
  tablesOf(measured, (columns, rows) => markdownTable(columns, rows, 1));

function tablesOf({ steps, waits, others }: MeasuredWorkflows, table: typeof textTable): string {
  return [
    table(['step', ...header], steps.map(rowOf)),
    table(['step that waits', ...header], waits.map(rowOf)),
    table(['start, wait, end', ...header], others.map(rowOf)),
  ].join('\n\n');
}

/** The prices for people who build graphs: a million steps of each kind. */
export function priceList({ steps, waits, others }: MeasuredWorkflows): string {
  const { plain, effects } = byEffect(steps);
  const ends = named(others, 'last step (addNote)');
  const more = priceOf(ends.at(-1)) - priceOf(named(steps, 'addNote').at(-1));
  const dearest = (measurements: readonly Measurement[]) => figure(priceOf(measurements.at(-1)), 1);
  const ended = dearest(named(others, 'end of a wait by the clock'));
  const last = effects.at(-1)?.name === 'sendMessage' ? ", without the provider's price" : '';
  return markdownTable(
    ['A million', 'Dollars'],
    [
      ['starts by an event', dearest(named(others, startByEvent))],
      ['steps without an effect', `at most ${dearest(plain)}`],
      ['steps that begin a wait', `${dearest(byPrice(waits))}, and ${ended} for its end by the clock`],
      ['posts of `httpRequest`, with their answers', dearest(named(others, 'answer to an httpRequest'))],
      [
        'steps with an effect, the effect included',
        `from ${figure(priceOf(effects[0]), 1)} (\`${effects[0]?.name}\`) to ${dearest(effects)} (\`${effects.at(-1)?.name}\`${last})`,
      ],
      ['steps that end a run', `${figure(more, 1)} more than others`],
    ],
    2,
  );
}

/** The prices of a million starts and of a million steps, for README.md. */
export function runPrices({ steps, others }: MeasuredWorkflows): [what: string, dollars: string][] {
  const { plain, effects } = byEffect(steps);
  const exact = (measurement: Measurement | undefined) => figure(priceOf(measurement), 2);
  const range = (some: readonly Measurement[]) => `${exact(some[0])} to ${exact(some.at(-1))}`;
  return [
    ['runs of workflows started by events', exact(named(others, startByEvent).at(-1))],
    ['their steps', `${range(plain)} without an effect, ${range(effects)} with one`],
  ];
}

const startByEvent = 'start by an event';

const byEffect = (steps: readonly Measurement[]) => ({
  plain: byPrice(steps.filter(({ effect }) => effect === 0)),
  effects: byPrice(steps.filter(({ effect }) => effect > 0)),
});

const named = (measurements: readonly Measurement[], name: string) =>
  byPrice(measurements.filter((measurement) => measurement.name === name));

const byPrice = (measurements: readonly Measurement[]) =>
  measurements.toSorted((measurement, other) => priceOf(measurement) - priceOf(other));

/** The price of a million. @throws if it was not measured. */
function priceOf(measurement: Measurement | undefined): number {
  if (measurement === undefined) {
    throw new Error('Something of the list was not measured.');
  }
  const { table, time } = dollarsOf(measurement);
  return table + time;
}

/** Write units without those of the effect. */
const ownOf = ({ consumed, effect }: Measurement) => consumed.writeUnits - effect;

function rowOf(measurement: Measurement): Cell[] {
  const { name, consumed, effect, cpu } = measurement;
  const { table, time } = dollarsOf(measurement);
  return [
    ...[name, consumed.roundTrips, consumed.readUnits, consumed.writeUnits, effect, ownOf(measurement)],
    ...[cpu, table, time, table + time].map((value) => figure(value, 2)),
  ];
}

/** Dollars for a million, with their effects: for the table, and for the function while it works and waits for the table. */
function dollarsOf({ consumed: { readUnits, writeUnits, roundTrips }, cpu }: Measurement) {
  const { million } = prices;
  return {
    table: readUnits * million.readUnits + writeUnits * million.writeUnits,
    time: functionTime(cpu, roundTrips, usualMemory),
  };
}

export function workflowVerdicts({ steps, waits, others }: MeasuredWorkflows): Verdict[] {
  const { step, wait, other, dollars } = budgets.workflows;
  const plain = steps.filter(({ effect }) => effect === 0);
  const most = Math.max(...plain.map(priceOf));
  return [
    verdictOf('a step of a workflow', steps, step),
    verdictOf('a step that begins a wait', waits, wait),
    verdictOf('the start, a wait or the end of a run', others, other),
    {
      promise: `a million steps without effect: at most ${dollars} dollars of table and function`,
      measured: figure(most, 2),
      kept: most <= dollars,
    },
  ];
}

function verdictOf(what: string, measurements: readonly Measurement[], limit: number): Verdict {
  const dearest = measurements.toSorted((measurement, another) => ownOf(another) - ownOf(measurement))[0];
  return {
    promise: `${what}: at most ${limit} write units beside those of an effect`,
    measured: dearest === undefined ? 'nothing' : `${ownOf(dearest)} (${dearest.name})`,
    kept: dearest !== undefined && ownOf(dearest) <= limit,
  };
}
