import { DatabaseSync } from 'node:sqlite';
import type { TablePlan } from '../template/plan.ts';

/** A key of the table in DynamoDB's JSON. */
export type ItemKey = Record<string, { S: string } | { N: string } | { B: string }>;

/** The query for items of a table whose time to live is over. */
export interface ExpiredItems {
  tableName: string;
  keyAttributes: string[];
  timeAttribute: string;
  /** Seconds since 1970. */
  now: number;
  most: number;
}

/** How long SQLite waits for a lock of the embedded database, which locks the file for each write. */
const lockMilliseconds = 5_000;

/**
 * Creates an index of the items by their time to live: over half a million items this takes a second, and nothing at later starts. SQLite
 * keeps the index up to date with every write of the embedded database. A version of that database with other tables gets no index.
 */
export function indexExpiry(file: string, { name, TimeToLiveSpecification }: TablePlan): void {
  using database = new DatabaseSync(file, { timeout: lockMilliseconds });
  if (!isKnown(database, name)) {
    return;
  }
  const { time, hasTime } = expressions(TimeToLiveSpecification.AttributeName);
  const index = identifier(`expiry ${TimeToLiveSpecification.AttributeName} ${name}`);
  database.exec(`CREATE INDEX IF NOT EXISTS ${index} ON ${identifier(name)} (${time}) WHERE ${hasTime}`);
}

/** The keys of expired items, in any order; none in a version of the embedded database with other tables. */
export function expiredKeys(database: DatabaseSync, items: ExpiredItems): ItemKey[] {
  const { tableName, keyAttributes, now, most } = items;
  if (!isKnown(database, tableName)) {
    return [];
  }
  return database
    .prepare(expiredKeysQuery(items))
    .all(now, most)
    .map(({ keys }) => {
      const values = JSON.parse(String(keys)) as ItemKey[string][];
      return Object.fromEntries(values.map((value, at) => [keyAttributes[at] ?? '', value]));
    });
}

/** The query of `expiredKeys`. Its parameters are the time and the largest number of keys. */
export function expiredKeysQuery({
  tableName,
  keyAttributes,
  timeAttribute,
}: Pick<ExpiredItems, 'tableName' | 'keyAttributes' | 'timeAttribute'>): string {
  const { time, hasTime } = expressions(timeAttribute);
  const keys = keyAttributes.map((attribute) => `item_json -> ${path(attribute)}`);
  return `SELECT json_array(${keys}) AS keys FROM ${identifier(tableName)} WHERE ${hasTime} AND ${time} < ? LIMIT ?`;
}

/** The expressions of the index. A query must repeat them exactly, or SQLite does not use the index. */
function expressions(attribute: string): { time: string; hasTime: string } {
  const text = `item_json ->> ${path(attribute, 'N')}`;
  return { time: `CAST(${text} AS REAL)`, hasTime: `${text} IS NOT NULL` };
}

function isKnown(database: DatabaseSync, table: string): boolean {
  return (
    database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = 'item_json'").get(table) !== undefined
  );
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The path of an attribute, or of its value of a type, in the JSON of an item. */
function path(attribute: string, type?: string): string {
  const text = `$.${JSON.stringify(attribute)}${type === undefined ? '' : `.${type}`}`;
  return `'${text.replaceAll("'", "''")}'`;
}
