import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { WireRecord } from './stream-records.ts';
import { maxRecords, type StartOfReading, type StreamPage, type StreamRequests } from './stream-requests.ts';

/** Characters of records after which a page ends, about as with DynamoDB, which ends a page after 1 MB. */
const mostCharacters = 1024 * 1024;

/** How long SQLite waits while the embedded database recovers its file. */
const lockMilliseconds = 500;

const columns = [
  ...['table_name', 'event_name', 'keys_json', 'new_image', 'old_image'],
  ...['sequence_number', 'shard_id', 'created_at', 'user_identity'],
];

/**
 * Reads pages from the file of the embedded database. Through the database every reader would pay for all changes: it decodes and encodes
 * each record, and so does this process. Here the images of a record that no function wants are never decoded. A version of the database
 * with other tables reads its pages itself, and the rest are requests in any case.
 */
export function fileStreams(file: string, requests: StreamRequests): StreamRequests {
  const database = new DatabaseSync(file, { readOnly: true, timeout: lockMilliseconds });
  if (!isKnown(database)) {
    database.close();
    return requests;
  }
  const newest = database.prepare(
    'SELECT coalesce(max(CAST(sequence_number AS INTEGER)), 0) AS newest FROM _stream_records WHERE table_name = ?',
  );
  // As the database's own query, so that the index of `stream-index.ts` serves it.
  const page = database.prepare(
    `SELECT ${columns.join()},
      (SELECT stream_view_type FROM _tables WHERE _tables.table_name = _stream_records.table_name) AS view_type
    FROM _stream_records
    WHERE table_name = ? AND shard_id = ? AND CAST(sequence_number AS INTEGER) > ?
    ORDER BY CAST(sequence_number AS INTEGER) LIMIT ${maxRecords}`,
  );
  return {
    ...requests,
    async iterator(streamArn, shardId, from) {
      const table = /:table\/([^/]+)/.exec(streamArn)?.[1] ?? '';
      return iteratorAt({ table, shardId, after: startOf(from, () => Number(newest.get(table)?.newest)) });
    },
    async page(iterator) {
      return pageAt(page, JSON.parse(iterator) as Place);
    },
    close() {
      if (database.isOpen) {
        database.close();
      }
      requests.close();
    },
  };
}

/** The last record of a shard that has been read. */
interface Place {
  readonly table: string;
  readonly shardId: string;
  readonly after: number;
}

const iteratorAt = (place: Place): string => JSON.stringify(place);

function startOf(from: StartOfReading, newest: () => number): number {
  switch (from.ShardIteratorType) {
    case 'AFTER_SEQUENCE_NUMBER':
      return Number(from.SequenceNumber);
    case 'TRIM_HORIZON':
      return 0;
    case 'LATEST':
      return newest();
  }
}

function isKnown(database: DatabaseSync): boolean {
  const found = database.prepare("SELECT name FROM pragma_table_info('_stream_records')").all();
  const names = new Set(found.map(({ name }) => name));
  const view = database
    .prepare("SELECT 1 FROM pragma_table_info('_tables') WHERE name IN ('table_name', 'stream_view_type')")
    .all();
  return columns.every((name) => names.has(name)) && view.length === 2;
}

function pageAt(statement: StatementSync, place: Place): StreamPage {
  const records: WireRecord[] = [];
  let characters = 0;
  for (const row of statement.iterate(place.table, place.shardId, place.after)) {
    const found = row as unknown as Row;
    records.push(recordOf(found));
    characters += found.keys_json.length + (found.new_image?.length ?? 0) + (found.old_image?.length ?? 0);
    if (characters >= mostCharacters) {
      break;
    }
  }
  const after = Number(records.at(-1)?.dynamodb.SequenceNumber ?? place.after);
  return {
    records,
    next: iteratorAt({ ...place, after }),
    isLast: records.length < maxRecords && characters < mostCharacters,
  };
}

interface Row {
  readonly event_name: string;
  readonly keys_json: string;
  readonly new_image: string | null;
  readonly old_image: string | null;
  readonly sequence_number: string;
  /** Seconds since 1970. */
  readonly created_at: number;
  readonly user_identity: string | null;
  readonly view_type: string | null;
}

/** The record as the database would return it. What filters never look at is decoded where it is asked for. */
function recordOf(row: Row): WireRecord {
  const { keys_json: keys, new_image: after, old_image: before, user_identity: identity } = row;
  return {
    eventID: row.sequence_number,
    eventName: row.event_name,
    eventVersion: '1.1',
    ...(identity === null ? {} : { userIdentity: JSON.parse(identity) }),
    dynamodb: {
      ApproximateCreationDateTime: row.created_at,
      Keys: JSON.parse(keys),
      get NewImage() {
        return after === null ? undefined : JSON.parse(after);
      },
      get OldImage() {
        return before === null ? undefined : JSON.parse(before);
      },
      SequenceNumber: row.sequence_number,
      get SizeBytes() {
        return [keys, after ?? '', before ?? ''].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
      },
      StreamViewType: row.view_type ?? 'NEW_AND_OLD_IMAGES',
    },
  };
}
