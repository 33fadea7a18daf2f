import { readdirSync, readFileSync } from 'node:fs';

/** What a process and all that it has started take of the machine. Only Linux says it. */
export interface Usage {
  readonly megabytes: number;
  /** Since the processes started. */
  readonly cpuMilliseconds: number;
}

/** The usual length of the clock that `/proc` counts CPU time with. */
const tickMilliseconds = 10;

export function usageOf(pid: number): Usage {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? fieldsOf(Number(name))?.parent : undefined;
    if (parent !== undefined) {
      parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
    }
  }
  const tree = [pid];
  for (const one of tree) {
    tree.push(...(parents.get(one) ?? []));
  }
  const all = tree.flatMap((one) => fieldsOf(one) ?? []);
  return {
    megabytes: all.reduce((sum, { megabytes }) => sum + megabytes, 0),
    cpuMilliseconds: all.reduce((sum, { ticks }) => sum + ticks, 0) * tickMilliseconds,
  };
}

/** Undefined for a process that has ended. */
function fieldsOf(pid: number): { parent: number; ticks: number; megabytes: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may hold spaces.
    const [, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return {
      parent: Number(parent),
      ticks: Number(rest[9]) + Number(rest[10]),
      megabytes: Number(resident ?? 0) / 1024,
    };
  } catch {
    return undefined;
  }
}
