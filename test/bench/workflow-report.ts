import { budgets, type Verdict } from './budgets.ts';
import { prices, tableAnswer } from './scale/prices.ts';
import { type Cell, figure, textTable } from './table.ts';
import type { Deed, MeasuredWorkflows } from './workflows.ts';

/** Megabytes of the function that advances runs. */
const memory = 1024;

/** Of each: of all that is consumed, without what the effect would consume by itself, and the dollars for a million. */
const header = [
  'trips',
  'RU',
  'WU',
  'of the effect',
  'beside it',
  'p50 ms',
  'table $',
  'function $',
  'all $',
];

export function workflowTables({ steps, waits, others }: MeasuredWorkflows): string {
  return [
    textTable(['step', ...header], steps.map(rowOf)),
    textTable(['step that waits', ...header], waits.map(rowOf)),
    textTable(['start, wait, end', ...header], others.map(rowOf)),
  ].join('\n\n');
}

/** Write units beside those of the effect. */
const ownOf = ({ consumed, effect }: Deed) => consumed.writeUnits - effect;

function rowOf(deed: Deed): Cell[] {
  const { name, consumed, effect, ms } = deed;
  const { table, time } = dollarsOf(deed);
  return [
    ...[name, consumed.roundTrips, consumed.readUnits, consumed.writeUnits, effect, ownOf(deed)],
    ...[ms, table, time, table + time].map((value) => figure(value, 2)),
  ];
}

/** Dollars for a million of them, with their effects: the table, and the time of the function while it waits for the table. */
function dollarsOf({ consumed: { readUnits, writeUnits, roundTrips }, ms }: Deed) {
  const { million, functionSecond } = prices;
  const seconds = (ms + roundTrips * tableAnswer) / 1_000;
  return {
    table: readUnits * million.readUnits + writeUnits * million.writeUnits,
    time: (memory / 1_024) * seconds * functionSecond * 1e6,
  };
}

export function workflowVerdicts({ steps, waits, others }: MeasuredWorkflows): Verdict[] {
  const { step, other, dollars } = budgets.workflows;
  const plain = steps.filter(({ effect }) => effect === 0);
  const most = Math.max(...plain.map((deed) => dollarsOf(deed).table + dollarsOf(deed).time));
  return [
    verdictOf('a step of a workflow', steps, step),
    verdictOf('a step that begins a wait', waits, step),
    verdictOf('the start, a wait or the end of a run', others, other),
    {
      promise: `a million steps without effect: at most ${dollars} dollars of table and function`,
      measured: figure(most, 2),
      kept: most <= dollars,
    },
  ];
}

function verdictOf(what: string, deeds: readonly Deed[], limit: number): Verdict {
  const dearest = deeds.toSorted((one, another) => ownOf(another) - ownOf(one))[0];
  return {
    promise: `${what}: at most ${limit} write units beside those of an effect`,
    measured: dearest === undefined ? 'nothing' : `${ownOf(dearest)} (${dearest.name})`,
    kept: dearest !== undefined && ownOf(dearest) <= limit,
  };
}
