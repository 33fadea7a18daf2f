import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesize } from '../../infra/local/synthesis.ts';

/** Where a run of all tests leaves the one cloud assembly that they share. */
const variable = 'SWITCHBOARD_TEST_ASSEMBLY';

/** Vitest's global setup: synthesizes the product once for all test files. */
export default async function setup(): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-assembly-'));
  await synthesize(directory, new AbortController().signal);
  process.env[variable] = directory;
  return () => rm(directory, { recursive: true, force: true });
}

/** The product's cloud assembly. @throws outside a run of the tests. */
export function assembly(): string {
  const directory = process.env[variable];
  if (directory === undefined) {
    throw new Error(`${variable} is not set: call the setup of test/harness/assembly.ts first.`);
  }
  return directory;
}

/** The properties of the one resource of a type in the assembly's templates. */
export async function resourceOfType(type: string): Promise<Record<string, unknown>> {
  const files = (await readdir(assembly())).filter((file) => file.endsWith('.template.json'));
  const templates = await Promise.all(
    files.map(async (file) => JSON.parse(await readFile(join(assembly(), file), 'utf8'))),
  );
  const [found, ...others] = templates
    .flatMap(({ Resources = {} }) =>
      Object.values<{ Type: string; Properties: Record<string, unknown> }>(Resources),
    )
    .filter(({ Type }) => Type === type);
  if (found === undefined || others.length > 0) {
    throw new Error(`The templates have ${others.length + (found ? 1 : 0)} resources of type ${type}.`);
  }
  return found.Properties;
}
