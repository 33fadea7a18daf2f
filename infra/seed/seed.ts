import { NewPassword } from '../../shared/kernel/auth/passwords.ts';
import { second, type Timestamp, timestamp } from '../../shared/kernel/time.ts';
import { type Key, keyPrefix, tableKeys } from '../../shared/table/key.ts';
import { platformSpace } from '../../shared/table/spaces.ts';
import type { Stored } from '../../shared/table/table.ts';
import { type LoadedTable, openTable, type Row, readRowsAfter, type TableAddress } from './connection.ts';

export interface SeedOptions extends TableAddress {
  /** Whether to write the demo data; without them there is only the SUPERADMIN. */
  readonly demo: boolean;
  /** The password of all users. */
  readonly password: string;
  /** The time that the ages of the demo data count from. */
  readonly now?: Date;
  /** The same data, prepared in advance for a table that is likely to be empty. */
  readonly prepared?: Prepared | undefined;
  /** Called before anything is written. */
  onBegin?(): void;
}

/** Data that are created before there is a table for them. */
export interface Prepared {
  readonly now: Date;
  readonly rows: Promise<readonly Row[]>;
}

/** The default password of all users. */
export const usualPassword = 'switchboard-demo';

/** Who can log in to a table that was seeded. */
export interface Seeded {
  /** Whether the demo data are there. */
  readonly demo: boolean;
  /** Whether everybody has the usual password. */
  readonly hasUsualPassword: boolean;
}

/** The state of a seeding. */
interface Seeding extends Seeded {
  /** All times and ids count from here, so that a seeding that is repeated writes the same records. */
  readonly startedAt: Timestamp;
  readonly isComplete: boolean;
}

const seedingKey: Key<Seeding> = { partition: [], sort: ['SEEDING'] };

/**
 * Fills an empty table, once: a table that is seeded already, or has data of another origin, stays as it is. An interrupted seeding is
 * repeated from the beginning and writes the same records, with the password of this start. Resolves with who can log in, or with undefined
 * for data of another origin.
 * @throws an `Error` for a password that nobody could register with.
 */
export async function seed(options: SeedOptions): Promise<Seeded | undefined> {
  const { success, error } = NewPassword.safeParse(options.password);
  if (!success) {
    throw new Error(`The password of the demo users (SEED_PASSWORD) ${error.issues[0]?.message}.`);
  }
  using table = openTable(options);
  const stored = await begunSeeding(table, options);
  if (stored === undefined || stored.data.isComplete) {
    return stored?.data;
  }
  options.onBegin?.();
  const { prepared } = options;
  const isPrepared = prepared !== undefined && timestamp(prepared.now) === stored.data.startedAt;
  const rows = await (isPrepared ? prepared.rows : seededRows(stored.data, options));
  // The host reads the table while this writes it. Rows that it acts on at once come last, because they need all others.
  await table.write(rows.filter((row) => !isWork(row)));
  await table.write(rows.filter(isWork));
  const hasUsualPassword = options.password === usualPassword;
  const complete = { ...stored.data, hasUsualPassword, isComplete: true };
  await table.seeding.commit([table.seeding.replace(stored, complete)]);
  return complete;
}

/** Whether functions act on a row as soon as they see it: a run that can continue, or a due entry. */
function isWork({ [tableKeys.partition]: partition, [tableKeys.sort]: sort }: Row): boolean {
  return partition?.S?.startsWith(duePrefix) === true || sort?.S?.startsWith(readyPrefix) === true;
}

const duePrefix = keyPrefix([...platformSpace, 'DUE']);
const readyPrefix = keyPrefix(['READY']);

/** The state of the seeding: an existing one, or a new one in an empty table; undefined for a table with data of another origin. */
async function begunSeeding(
  { seeding, isEmpty }: LoadedTable,
  { demo, password, prepared, now = prepared?.now ?? new Date() }: SeedOptions,
): Promise<Stored<Seeding> | undefined> {
  const stored = await seeding.read(seedingKey);
  if (stored !== undefined || !(await isEmpty())) {
    return stored;
  }
  const hasUsualPassword = password === usualPassword;
  const begun = { startedAt: timestamp(now), demo, hasUsualPassword, isComplete: false };
  await seeding.commit([seeding.add(seedingKey, begun)]);
  return seeding.read(seedingKey);
}

/** Starts to create the data; `seed` rejects if that fails. */
export function prepare(options: Pick<SeedOptions, 'demo' | 'password'>): Prepared {
  const now = new Date();
  const rows = seededRows({ startedAt: timestamp(now), demo: options.demo }, options);
  rows.catch(() => undefined);
  return { now, rows };
}

/**
 * The rows that the operations write into an empty table of their own, without rows that have expired since. In the product's table the
 * readers of its stream would act on events of the past, and the rows of an interrupted seeding would block the next one.
 */
async function seededRows(
  { startedAt, demo }: Pick<Seeding, 'startedAt' | 'demo'>,
  {
    password,
    tableName,
    dynamodbEndpoint,
    credentials,
  }: Pick<SeedOptions, 'password'> & Partial<TableAddress>,
): Promise<Row[]> {
  // Imported only when needed: later starts do not need the operations.
  const { replay } = await import('./replay.ts');
  const rows = await readRowsAfter((table) => replay(table, new Date(startedAt), { demo, password }), {
    tableName: `${tableName ?? 'switchboard'}-seeding`,
    ...(dynamodbEndpoint !== undefined && { dynamodbEndpoint }),
    ...(credentials && { credentials }),
  });
  return rows.filter(
    ({ expiresAt }) => Number(expiresAt?.N ?? Number.POSITIVE_INFINITY) * second > Date.parse(startedAt),
  );
}
