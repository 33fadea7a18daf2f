import { ratioBetween } from '../figures.ts';
import { type Cell, figure, markdownTable, textTable } from '../table.ts';
import type { Measured } from './measure.ts';
import { works } from './requests.ts';

const header = [
  'work',
  'who',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'CPU ms server',
  'database',
  'MB server',
  'database',
  'client',
  'failed',
  'Switchboard : peer',
  'by CPU',
];

/** One table for each number of connections, the highest first, as plain text. */
export function plainTables(measured: readonly Measured[]): string {
  return tables(measured, (title, rows) => `${title}\n\n${textTable(header, rows)}`);
}

/** The same as Markdown. */
export function markdownTables(measured: readonly Measured[]): string {
  return tables(measured, (title, rows) => `**${title}**\n\n${markdownTable(header, rows, 2)}`);
}

function tables(measured: readonly Measured[], tableOf: (title: string, rows: Cell[][]) => string): string {
  return byConnections(measured)
    .map(([connections, some]) => tableOf(titleOf(connections), rowsOf(some)))
    .join('\n\n');
}

const titleOf = (connections: number) => `${connections} connection${connections === 1 ? '' : 's'}`;

function byConnections(measured: readonly Measured[]): [number, Measured[]][] {
  return [...Map.groupBy(measured, ({ connections }) => connections)].sort(([a], [b]) => b - a);
}

function rowsOf(measured: readonly Measured[]): Cell[][] {
  return measured.map((measurement) => {
    const { work, contestant, summary, cpu, memory, clientShare } = measurement;
    const ours = measured.find((other) => other.work === work && other.contestant === 'Switchboard');
    return [
      works[work],
      contestant,
      known(summary.requestsPerSecond, summary.requestsPerSecond < 100 ? 1 : 0),
      known(summary.p50, 1),
      known(summary.p99, 1),
      known(cpu.server, 2),
      known(cpu.database, 2),
      figure(memory.server),
      figure(memory.database),
      `${figure(clientShare * 100)} %`,
      summary.failures === 0 ? '' : figure(summary.failures),
      ...(ours === undefined || ours === measurement
        ? ['', '']
        : [ratioBetween(ours.summary, summary), totalOf(measurement) / totalOf(ours)].map(
            (ratio) => `${known(ratio, 2)} x`,
          )),
    ];
  });
}

const totalOf = ({ cpu: { server, database } }: Measured) => server + database;

/** A figure, or a dash if there was no response to measure. */
function known(value: number, decimals: number): string {
  return Number.isFinite(value) ? figure(value, decimals) : '–';
}
