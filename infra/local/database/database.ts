import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { damaged } from '../data/unusable-data.ts';
import { type Address, openBlockedAddress } from './blocked-port.ts';
import { databaseBinary } from './database-binary.ts';
import { type DatabaseProcess, runDatabase } from './database-process.ts';

/** A running DynamoDB. */
export interface Database {
  /** Neither browsers nor `fetch` can reach the endpoint of the embedded database. */
  endpoint: string;
  /** Whether the host has started the database; with `DYNAMODB_ENDPOINT` somebody else has. */
  isEmbedded: boolean;
  /** The file of the embedded database; undefined in memory, and with `DYNAMODB_ENDPOINT`. */
  file: string | undefined;
  /** Resolves when the embedded database has ended, for whatever reason. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the embedded database on `file`, or in memory without one. With `DYNAMODB_ENDPOINT` in the environment that database is used
 * instead, and `stop` leaves it running. Rejects when `file` is no database.
 */
export async function startDatabase(file: string | undefined): Promise<Database> {
  const external = process.env.DYNAMODB_ENDPOINT;
  if (external) {
    return {
      endpoint: external,
      isEmbedded: false,
      file: undefined,
      ended: Promise.withResolvers<void>().promise,
      stop: async () => undefined,
    };
  }
  if (file !== undefined && existsSync(file)) {
    requireReadable(file);
  }
  const { address, running } = await startedAt(databaseBinary(), file);
  if (file !== undefined) {
    indexStream(file);
  }
  const { ended, stop } = running;
  return { endpoint: `http://${address.host}:${address.port}`, isEmbedded: true, file, ended, stop };
}

/** Tries three addresses, because another program can take one before the database does. */
async function startedAt(
  binary: string,
  file: string | undefined,
): Promise<{ address: Address; running: DatabaseProcess }> {
  for (let attempt = 1; ; attempt += 1) {
    const address = await openBlockedAddress();
    const running = await runDatabase(binary, address, file);
    if (!('problem' in running)) {
      return { address, running };
    }
    if (file !== undefined && saysDamage(running)) {
      throw damaged(file);
    }
    if (attempt === 3) {
      throw new Error(`The database ${binary} did not start: ${running.problem}`);
    }
  }
}

function saysDamage({ problem }: { problem: string }): boolean {
  return /\b(malformed|not a database|not a valid SQLite)\b/.test(problem);
}

/** SQLite's codes CORRUPT, CANTOPEN and NOTADB: the file is damaged, cannot be opened, or is no database. */
const damageCodes: ReadonlySet<number> = new Set([11, 14, 26]);

/** Lets SQLite find out whether the file is a database of full length. */
function requireReadable(file: string): void {
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (error) {
    const { errcode = 0 } = error as { errcode?: number };
    // Other codes say nothing about the file. BUSY, for example, means that the database of a killed host is still ending.
    if (damageCodes.has(errcode & 0xff)) {
      throw damaged(file);
    }
  }
}

/**
 * At every write the embedded database searches all records of the table's stream for the newest one, so writes become slower: after
 * 20,000 of them they take 20 times as long. An index in its file prevents that. A version of the database with other tables gets no index.
 */
function indexStream(file: string): void {
  using database = new DatabaseSync(file, { timeout: 1_000 });
  const isKnown = database
    .prepare(
      "SELECT 1 FROM pragma_table_info('_stream_records') WHERE name IN ('table_name', 'sequence_number')",
    )
    .all();
  if (isKnown.length === 2) {
    database.exec(
      'CREATE INDEX IF NOT EXISTS stream_sequence ON _stream_records (table_name, CAST(sequence_number AS INTEGER))',
    );
  }
}
