import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { synthesize } from './synthesis.ts';

/** Where a run of all tests leaves the cloud assemblies that they share. */
const variable = 'SWITCHBOARD_TEST_ASSEMBLIES';
/** Where temporary files are that outlive the run. */
const lastingVariable = 'SWITCHBOARD_TEST_LASTING';

/**
 * Vitest's global setup: a folder for the assemblies, each made by the first test that needs it, and for all temporary files, also those
 * that a test leaves behind.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const lasting = tmpdir();
  // As with `npm test`: programs that tests start, and their workers, do not compile a module again.
  process.env.NODE_COMPILE_CACHE ??= enableCompileCache().directory ?? '';
  // Bundler and compiler, both Go programs, would spend a quarter of their time on garbage collection.
  process.env.GOGC ??= '400';
  const directory = await mkdtemp(join(lasting, 'switchboard-tests-'));
  await chmod(directory, 0o755); // A test may start a program, such as PostgreSQL, as another user.
  Object.assign(process.env, { [variable]: directory, [lastingVariable]: lasting, TMPDIR: directory });
  return async () => {
    process.env.TMPDIR = lasting;
    await rm(directory, { recursive: true, force: true });
  };
}

/** The folder for temporary files that later runs find again. */
export const lastingFolder = () => process.env[lastingVariable] ?? tmpdir();

/** The product's cloud assembly, made once for all test files. @throws outside a run of the tests. */
export const assembly = (): Promise<string> => madeOnce('product', 'manifest.json', synthesize);

/** The folder with the bundle of each function, as it is deployed. @throws outside a run of the tests. */
export async function functionBundles(): Promise<string> {
  const directory = await assembly();
  const name = (await readdir(directory)).find((one) => one.startsWith('lambda-'));
  return join(directory, name ?? '');
}

/** The assembly of `test/local/fixture/app.ts`, made once for all test files. @throws outside a run of the tests. */
export const fixtureAssembly = (): Promise<string> =>
  madeOnce('fixture', 'manifest.json', async (outdir) => {
    const { synthesizeFixture } = await import('../local/fixture/app.ts');
    await synthesizeFixture({ outdir });
  });

/** A folder, complete when it has the file `last`: whoever comes first makes it, the others wait until it is there. */
export async function madeOnce(
  name: string,
  last: string,
  make: (outdir: string) => Promise<void>,
): Promise<string> {
  const directory = process.env[variable];
  if (directory === undefined) {
    throw new Error(`${variable} is not set: call the setup of test/harness/assembly.ts first.`);
  }
  const at = (part: string) => join(directory, `${name}-${part}`);
  const [begun, made, ended] = [at('begun'), at('assembly'), at('ended')];
  if (await isFirst(begun)) {
    try {
      await make(made);
    } finally {
      await writeFile(ended, '');
    }
  }
  while (!(await exists(ended))) {
    await pause(50);
  }
  if (!(await exists(join(made, last)))) {
    throw new Error(`The ${name} could not be made; the test that began it says why.`);
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
