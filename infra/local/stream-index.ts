import { DatabaseSync } from 'node:sqlite';

/**
 * With every write the embedded database looks for the newest record of the table's stream among all of them, so that each
 * write is dearer than the one before: 20 times after 20,000. An index on its file ends that. Another version of the
 * database, with other tables, does without.
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
