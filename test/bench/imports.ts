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

/** The milliseconds that the import takes in a new process. */
async function importTime({ file, environment }: Importable): Promise<number> {
  const { stdout } = await run(
    process.execPath,
    ['--input-type=module', '--eval', timedImport, pathToFileURL(file).href],
    { env: { ...environment } },
  );
  return Number(stdout);
}

/**
 * The import times of each bundle in milliseconds, by name. Fresh processes, one after the other and in rounds, so that other work of the
 * machine slows all bundles alike.
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
