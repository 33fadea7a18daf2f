import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds of a tick in `/proc`: `USER_HZ` is 100 on every Linux that Node.js runs on. */
const tick = 10;

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** Milliseconds of user and system time since it started, including children that have ended. */
  readonly cpu: number;
}

/** Parses `/proc/<pid>/stat`. The name is in parentheses, and may itself have parentheses and spaces. */
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

/** A process with its children and theirs, on Linux. */
export function processTree(root: number, rows: readonly ProcessRow[] = allProcesses()): ProcessRow[] {
  const tree = rows.filter(({ pid }) => pid === root);
  for (const { pid } of tree) {
    tree.push(...rows.filter(({ parent }) => parent === pid));
  }
  return tree;
}

export const processIds = (root: number): number[] => processTree(root).map(({ pid }) => pid);

/** Milliseconds of processor time of those processes that still run. */
export function processorTimeFor(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (rowOf(pid)?.cpu ?? 0), 0);
}

/** Milliseconds of processor time a second of a process and its children, measured for the given seconds. */
export async function processorShare(root: number, seconds: number): Promise<number> {
  const before = processorTimeFor(processIds(root));
  await pause(seconds * 1_000);
  return (processorTimeFor(processIds(root)) - before) / seconds;
}

/** MB of memory of all together, each with its proportional set size (PSS): pages that processes share count once. */
export function memoryFor(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => {
    const rollup = readProcess(pid, 'smaps_rollup') ?? '';
    return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0);
  });
  return kilobytes.reduce((sum, kilobyte) => sum + kilobyte, 0) / 1_024;
}

function allProcesses(): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => rowOf(Number(name)) ?? []);
}

function rowOf(pid: number): ProcessRow | undefined {
  const stat = readProcess(pid, 'stat');
  return stat === undefined ? undefined : processRow(stat);
}

/** Undefined for a process that has ended. */
function readProcess(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
