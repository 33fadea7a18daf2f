import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Of the kernel, in milliseconds; it is the same on every Linux. */
const tick = 10;

/** Processor time in milliseconds a second that a process and its children take during so many seconds. Linux alone knows. */
export async function processorShare(pid: number, seconds: number): Promise<number> {
  const before = await processorTimeOf(pid);
  await sleep(seconds * 1_000);
  return ((await processorTimeOf(pid)) - before) / seconds;
}

async function processorTimeOf(pid: number): Promise<number> {
  const processes = (await Promise.all((await readdir('/proc')).filter(isNumber).map(processAt))).filter(
    (one) => one !== undefined,
  );
  const family = new Set([pid]);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const one of processes) {
      if (family.has(one.parent)) {
        family.add(one.pid);
      }
    }
  }
  return processes.filter((one) => family.has(one.pid)).reduce((sum, { ms }) => sum + ms, 0);
}

const isNumber = (name: string) => /^\d+$/.test(name);

async function processAt(name: string): Promise<{ pid: number; parent: number; ms: number } | undefined> {
  const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => undefined);
  // The name of the program, in brackets, may hold spaces.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (
    fields && {
      pid: Number(name),
      parent: Number(fields[1]),
      ms: tick * (Number(fields[11]) + Number(fields[12])),
    }
  );
}
