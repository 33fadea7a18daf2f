import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

/** The path of the embedded database's program. @throws with a message for a person when there is none for this machine. */
export function databaseBinary(): string {
  const packaged = packagedBinary();
  if (packaged) {
    return packaged;
  }
  const name = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((candidate) => existsSync(candidate));
  if (onPath) {
    return onPath;
  }
  throw new Error(
    `No database found: the embedded one is installed on Linux x64 only, and this is ${process.platform} ${process.arch}. ` +
      'Set DYNAMODB_ENDPOINT to a running DynamoDB Local, or put `dynoxide` (github.com/nubo-db/dynoxide) on the PATH.',
  );
}

/** @throws with a message for a person when there is no database for this machine, and none in the environment. */
export function requireDatabase(): void {
  if (!process.env.DYNAMODB_ENDPOINT) {
    databaseBinary();
  }
}

function packagedBinary(): string | undefined {
  const { resolve } = createRequire(import.meta.url);
  const name = `@dynoxide/${process.platform}-${process.arch}/package.json`;
  try {
    const binary = join(dirname(resolve(name)), 'dynoxide');
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined; // An optional dependency, which does not exist for every platform.
  }
}
