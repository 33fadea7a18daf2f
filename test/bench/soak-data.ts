import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { call, loggedIn } from './api.ts';
import { tableNameIn, writeContactsInto } from './database-file.ts';
import { pipelineOfEight } from './dataset.ts';
import { generatedContacts } from './generated-contacts.ts';
import { startHost } from './local-host.ts';

/** The content of a data directory. */
export interface Holding {
  /** The size of the database without its log. */
  fileBytes: number;
  logBytes: number;
  items: number;
  itemBytes: number;
  records: number;
}

/**
 * Fills a data directory with the demo data, `contacts` more in an active pipeline of eight stages, and so many records of the stream,
 * which its readers have already read. A directory that is filled already stays as it is.
 */
export async function fillDirectory(
  dataDir: string,
  { contacts, records, now }: { contacts: number; records: number; now: Date },
): Promise<void> {
  const file = join(dataDir, 'database.sqlite');
  if (existsSync(file)) {
    return;
  }
  const { url, stop } = await startHost(dataDir);
  const { token, user } = await loggedIn(url);
  const others = await Promise.all(['head', 'rep'].map((name) => loggedIn(url, `${name}@example.com`)));
  const creation = { method: 'POST', path: '/api/pipelines', body: pipelineOfEight };
  const created = await call<{ data: { _id: string; stages: { _id: string }[] } }>(url, creation, token);
  const pipeline = created.data;
  await stop();

  await writeContactsInto(
    file,
    user.organizationId,
    generatedContacts({
      count: contacts,
      organizationId: user.organizationId,
      stages: pipeline.stages.map(({ _id }) => ({ pipelineId: pipeline._id, stageId: _id })),
      users: [user, ...others.map((other) => other.user)].map(({ id }) => id),
      seed: 20_260_101,
      now,
    }),
  );
  await markRead(dataDir, fillStream(file, records));
}

export async function readHolding(dataDir: string): Promise<Holding> {
  const file = join(dataDir, 'database.sqlite');
  const sizeOf = (path: string) =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    );
  using database = new DatabaseSync(file, { readOnly: true });
  const number = (query: string) => Number(Object.values(database.prepare(query).get() ?? {})[0] ?? 0);
  const table = `"${tableNameIn(file)}"`;
  return {
    fileBytes: await sizeOf(file),
    logBytes: await sizeOf(`${file}-wal`),
    items: number(`SELECT count(*) FROM ${table}`),
    itemBytes: number(`SELECT sum(length(item_json) + length(pk) + length(sk)) FROM ${table}`),
    records: number('SELECT count(*) FROM _stream_records'),
  };
}

/** Copies records of the stream until there are so many. @returns the sequence number of the newest. */
function fillStream(file: string, records: number): string {
  using database = new DatabaseSync(file);
  const state = database.prepare(
    'SELECT count(*) AS count, max(CAST(sequence_number AS INTEGER)) AS newest FROM _stream_records',
  );
  const copy = database.prepare(`
    INSERT INTO _stream_records
      (table_name, event_name, keys_json, new_image, old_image, sequence_number, shard_id, created_at, user_identity)
    SELECT table_name, event_name, keys_json, new_image, old_image, CAST(sequence_number AS INTEGER) + CAST(? AS INTEGER), shard_id,
      created_at, user_identity FROM _stream_records ORDER BY id DESC LIMIT ?`);
  for (;;) {
    const { count = 0, newest = 0 } = state.get() ?? {};
    const missing = records - Number(count);
    if (missing <= 0) {
      return String(newest);
    }
    const repeated = Math.min(missing, Number(count), 100_000);
    copy.run(repeated, repeated);
  }
}

/** Marks everything as read by every reader, as if the host had been running all the time. */
async function markRead(dataDir: string, newest: string): Promise<void> {
  const file = join(dataDir, 'streams.json');
  const positions = JSON.parse(await readFile(file, 'utf8')) as Record<string, Record<string, unknown>>;
  for (const shards of Object.values(positions)) {
    for (const shard of Object.keys(shards)) {
      shards[shard] = { after: newest };
    }
  }
  await writeFile(file, JSON.stringify(positions));
}
