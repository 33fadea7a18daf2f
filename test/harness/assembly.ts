import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { synthesize } from './synthesis.ts';

/** Where a run of all tests leaves the one cloud assembly that they share. */
const variable = 'SWITCHBOARD_TEST_ASSEMBLY';

/** Vitest's global setup: a place for the assembly, which the first test that needs it makes. */
export default async function setup(): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-assembly-'));
  process.env[variable] = directory;
  return () => rm(directory, { recursive: true, force: true });
}

/** The product's cloud assembly, made once for all test files. @throws outside a run of the tests. */
export async function assembly(): Promise<string> {
  const directory = process.env[variable];
  if (directory === undefined) {
    throw new Error(`${variable} is not set: call the setup of test/harness/assembly.ts first.`);
  }
  const made = join(directory, 'assembly');
  const [begun, ended] = [join(directory, 'begun'), join(directory, 'ended')];
  if (await isFirst(begun)) {
    try {
      await synthesize(made, new AbortController().signal);
    } finally {
      await writeFile(ended, '');
    }
  }
  while (!(await exists(ended))) {
    await pause(50);
  }
  if (!(await exists(join(made, 'manifest.json')))) {
    throw new Error('The product could not be synthesized; the test that began it says why.');
  }
  return made;
}

/** Making a directory succeeds once, whoever else tries. */
function isFirst(directory: string): Promise<boolean> {
  return mkdir(directory).then(
    () => true,
    () => false,
  );
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
