import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { publishDraft } from '../data/durable-file.ts';

/** A build of the product for this machine. Folders are relative to the build directory. */
export const Build = z.object({
  /** Raise it whenever this type changes. */
  format: z.literal(2),
  /** Whether the documents that describe the operations are still those of the previous build. */
  owesDocuments: z.boolean(),
  /** A hash of each source, by path from the project's root. */
  sources: z.record(z.string(), z.string()),
  /** The imports of each of the project's files; a function is `function:<name>`. */
  imports: z.record(z.string(), z.array(z.string())),
  /** The generated module of each function, by the function's name. */
  entries: z.record(z.string(), z.string()),
  /** See `functionsDefinition`. */
  definition: z.string(),
  /** The folder of the cloud assembly. */
  assembly: z.string(),
  /** The folder of each function's code, by the function's name. */
  code: z.record(z.string(), z.string()),
});
export type Build = z.infer<typeof Build>;

/** The last finished build in this directory; undefined when there is none that this version can continue. */
export async function readBuild(directory: string): Promise<Build | undefined> {
  try {
    const build = Build.parse(JSON.parse(await readFile(join(directory, 'build.json'), 'utf8')));
    const folders = [build.assembly, ...Object.values(build.code)];
    return folders.every((folder) => existsSync(join(directory, folder))) ? build : undefined;
  } catch {
    return undefined; // A stored build only saves time: a new one replaces a damaged one.
  }
}

/** Stores a build for the next start. A kill leaves either the previous or the new one. */
export async function writeBuild(directory: string, build: Build): Promise<void> {
  const file = join(directory, 'build.json');
  await writeFile(`${file}.draft`, JSON.stringify(build), { flush: true });
  await publishDraft(`${file}.draft`, file);
}

/** The folders of a build. */
export function buildFolders({ assembly, code }: Build): ReadonlySet<string> {
  return new Set([assembly, ...Object.values(code).map(dirname)]);
}
