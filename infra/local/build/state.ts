import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { publishDraft } from '../durable-file.ts';

/** What was built of the product to be run on this machine, and what of. Folders are named from the build directory. */
export const Build = z.object({
  /** To be raised with every change of what a build consists of. */
  format: z.literal(1),
  /** Counts the builds of a directory. */
  generation: z.number(),
  /** A hash of each source, by path from the project's root. */
  sources: z.record(z.string(), z.string()),
  /** What each of the project's files imports; a function is `function:<name>`. */
  imports: z.record(z.string(), z.array(z.string())),
  /** The generated module of each function, by the function's name. */
  entries: z.record(z.string(), z.string()),
  /** What the templates follow from. */
  definition: z.string(),
  /** The folder of the cloud assembly. */
  assembly: z.string(),
  /** The folder of each function's code, by the function's name. */
  code: z.record(z.string(), z.string()),
});
export type Build = z.infer<typeof Build>;

/** The last finished build in this directory; undefined when there is none that this version can go on from. */
export async function readBuild(directory: string): Promise<Build | undefined> {
  try {
    return Build.parse(JSON.parse(await readFile(join(directory, 'build.json'), 'utf8')));
  } catch {
    return undefined; // It only saves time: whatever is wrong with it, a new build mends it.
  }
}

export async function writeBuild(directory: string, build: Build): Promise<void> {
  const file = join(directory, 'build.json');
  await writeFile(`${file}.draft`, JSON.stringify(build));
  await publishDraft(`${file}.draft`, file);
}
