import { DatabaseSync } from 'node:sqlite';

/**
 * At every write the embedded database searches all records of the table's stream for the newest one, so writes become slower: after
 * 20,000 of them they take 20 times as long. An index in its file prevents that. A version of the database with other tables gets no index.
 */
export function indexStream(file: string): void {
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
