import { budgets, type Verdict } from './budgets.ts';
import { functionTime, prices } from './scale/prices.ts';
import { type Cell, figure, markdownTable, textTable } from './table.ts';
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

/** Write units beside those of the effect. */
const ownOf = ({ consumed, effect }: Deed) => consumed.writeUnits - effect;

function rowOf(deed: Deed): Cell[] {
  const { name, consumed, effect, cpu } = deed;
  const { table, time } = dollarsOf(deed);
  return [
    ...[name, consumed.roundTrips, consumed.readUnits, consumed.writeUnits, effect, ownOf(deed)],
    ...[cpu, table, time, table + time].map((value) => figure(value, 2)),
  ];
}

/** Dollars for a million of them, with their effects: the table, and the function while it works and waits for the table. */
function dollarsOf({ consumed: { readUnits, writeUnits, roundTrips }, cpu }: Deed) {
  const { million } = prices;
  return {
    table: readUnits * million.readUnits + writeUnits * million.writeUnits,
    time: functionTime(cpu, roundTrips, memory),
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
