import { execFile } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { promisify } from 'node:util';
import { median, timed } from '../figures.ts';
import { figure } from '../table.ts';

/** A sentence about the machine. @param postgres the version, if it has PostgreSQL. */
export async function machineDescription(postgres: string | undefined): Promise<string> {
  const [first, ...others] = cpus();
  const starts: number[] = [];
  for (let run = 0; run < 5; run += 1) {
    starts.push((await timed(() => promisify(execFile)(process.execPath, ['-e', '0']))).ms);
  }
  return [
    `${first?.model.trim() || 'An unnamed processor'}, ${others.length + 1} cores`,
    `${figure(totalmem() / 1_024 ** 3)} GB of memory`,
    `Node ${process.versions.node}`,
    postgres === undefined ? 'no PostgreSQL' : `PostgreSQL ${postgres}`,
    `\`node -e 0\` takes ${figure(median(starts))} ms`,
  ].join(', ');
}
