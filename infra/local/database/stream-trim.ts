import type { DatabaseSync } from 'node:sqlite';

/** Records of a shard that nobody reads again: those up to the sequence number `upTo`. At most `most` are deleted, the oldest first. */
export interface TrimmedRecords {
  tableName: string;
  shardId: string;
  upTo: number;
  most: number;
}

/**
 * Deletes records from the file of the embedded database and returns how many. The newest record of a table always stays, because the
 * database numbers the next one after it. In a version of the database with other tables, all records stay.
 */
export function trimRecords(
  database: DatabaseSync,
  { tableName, shardId, upTo, most }: TrimmedRecords,
): number {
  const columns = database
    .prepare(
      "SELECT 1 FROM pragma_table_info('_stream_records') WHERE name IN ('id', 'table_name', 'shard_id', 'sequence_number')",
    )
    .all();
  if (columns.length < 4) {
    return 0;
  }
  // After a power cut, deleted records may be back and are deleted again: that is not worth a wait for the disk.
  database.exec('PRAGMA synchronous = NORMAL');
  const { changes } = database
    .prepare(
      `DELETE FROM _stream_records WHERE id IN (
        SELECT id FROM _stream_records
        WHERE table_name = $table AND shard_id = $shard AND CAST(sequence_number AS INTEGER) <= $upTo
          AND CAST(sequence_number AS INTEGER) <
            (SELECT max(CAST(sequence_number AS INTEGER)) FROM _stream_records WHERE table_name = $table)
        ORDER BY CAST(sequence_number AS INTEGER) LIMIT $most)`,
    )
    .run({ $table: tableName, $shard: shardId, $upTo: upTo, $most: most });
  return Number(changes);
}
