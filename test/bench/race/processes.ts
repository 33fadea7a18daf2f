import { readdirSync, readFileSync } from 'node:fs';

/** Processes that serve requests, and those of their database. */
export interface Served {
  readonly server: readonly number[];
  readonly database: readonly number[];
}

/** Of some processes together. */
export interface Load {
  /** Milliseconds of processor time since they started, of user and system, with what they have waited for. */
  readonly cpu: number;
  /** MB of memory. What processes share counts once. */
  readonly memory: number;
}

/** Milliseconds of a tick in `/proc`: `USER_HZ` is 100 on every Linux that Node.js runs on. */
const tick = 10;

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** Milliseconds. */
  readonly cpu: number;
}

/** Reads one line of `/proc/<pid>/stat`. The name is in brackets and may itself have brackets and spaces. */
export function processRow(stat: string): ProcessRow {
  const end = stat.lastIndexOf(')');
  const fields = stat.slice(end + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(fields[1]),
    name: stat.slice(stat.indexOf('(') + 1, end),
    cpu: ticks * tick,
  };
}

/** A process and all that it has started, directly or by way of others. */
export function treeOf(root: number, rows: readonly ProcessRow[] = allProcesses()): ProcessRow[] {
  const tree = rows.filter(({ pid }) => pid === root);
  for (const { pid } of tree) {
    tree.push(...rows.filter(({ parent }) => parent === pid));
  }
  return tree;
}

/** The load of processes that still run; of a process that has ended there is none. */
export function loadOf(pids: readonly number[]): Load {
  const rows = pids.flatMap((pid) => stat(pid) ?? []);
  return {
    cpu: rows.reduce((sum, { cpu }) => sum + cpu, 0),
    memory: rows.reduce((sum, { pid }) => sum + memoryOf(pid), 0),
  };
}

function allProcesses(): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => stat(Number(name)) ?? []);
}

function stat(pid: number): ProcessRow | undefined {
  try {
    return processRow(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined; // It has ended.
  }
}

/** MB: the process's own pages and its share of those that others have too. */
function memoryOf(pid: number): number {
  try {
    const [, kilobytes = '0'] =
      /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return Number(kilobytes) / 1_024;
  } catch {
    return 0;
  }
}
