import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** A bundle to import, with the environment of its function. */
export interface Importable {
  readonly name: string;
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

const timedImport = `
const start = performance.now();
await import(process.argv[1]);
process.stdout.write(String(performance.now() - start));
process.exit();`;

const run = promisify(execFile);

/** Milliseconds from the start of the import to its end, in a process that has imported nothing before. */
async function importTime({ file, environment }: Importable): Promise<number> {
  const { stdout } = await run(
    process.execPath,
    ['--input-type=module', '--eval', timedImport, pathToFileURL(file).href],
    { env: { ...environment } },
  );
  return Number(stdout);
}

/**
 * Import times of each in milliseconds, by name: one fresh process after the other, in rounds, so that whatever else the
 * machine does slows all alike.
 */
export async function importTimes(
  all: readonly Importable[],
  rounds: number,
): Promise<Map<string, number[]>> {
  const times = new Map(all.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const one of all) {
      times.get(one.name)?.push(await importTime(one));
    }
  }
  return times;
}
