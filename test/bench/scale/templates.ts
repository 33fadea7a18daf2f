import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesize } from '../../harness/synthesis.ts';

/** The part of a CloudFormation template that its price depends on. */
export interface Template {
  readonly Resources?: Readonly<Record<string, Resource>>;
}

export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** The product's templates as they would be deployed. */
export async function templates(): Promise<Template[]> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-templates-'));
  try {
    await synthesize(folder);
    const files = (await readdir(folder)).filter((file) => file.endsWith('.template.json'));
    return await Promise.all(
      files.map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as Template),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const resourcesWithType = (all: readonly Template[], type: string): Resource[] =>
  all.flatMap(({ Resources = {} }) => Object.values(Resources)).filter(({ Type }) => Type === type);

/** The memory in megabytes of the function that runs the operation with this summary. @throws if there is none. */
export function functionMemory(all: readonly Template[], summary: string): number {
  const found = resourcesWithType(all, 'AWS::Lambda::Function').find(
    ({ Properties }) => Properties?.Description === summary,
  );
  if (found === undefined) {
    throw new Error(`No function has the description "${summary}".`);
  }
  return Number(found.Properties?.MemorySize);
}
