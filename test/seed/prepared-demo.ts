import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { Row } from '../../infra/seed/connection.ts';
import { type Prepared, prepare, usualPassword } from '../../infra/seed/seed.ts';
import { madeOnce } from '../harness/assembly.ts';

const file = 'rows';
let prepared: Promise<Prepared> | undefined;

/** The demo data, created once for all test files, because that takes seconds. */
export function preparedDemo(): Promise<Prepared> {
  prepared ??= madeOnce('demo', file, write).then(read);
  return prepared;
}

async function write(folder: string): Promise<void> {
  const { now, rows } = prepare({ demo: true, password: usualPassword });
  const made = serialize({ now, rows: await rows });
  await mkdir(folder);
  await writeFile(join(folder, file), made);
}

async function read(folder: string): Promise<Prepared> {
  const { now, rows }: { now: Date; rows: Row[] } = deserialize(await readFile(join(folder, file)));
  return { now, rows: Promise.resolve(rows) };
}
