import { CsvError, parse } from 'csv-parse/sync';
import { Failure } from '../../../shared/kernel/failure.ts';
import { nameLimit } from '../../../shared/kernel/schemas/fields.ts';
import { customFieldName } from './columns.ts';
import type { DecodedFile } from './decode-file.ts';

/** Those that are rarer within cells come first. */
export const separators = ['\t', ';', ','] as const;
type Separator = (typeof separators)[number];

/** A line of the file and what it says, column by column. */
export interface Row {
  /** The line of the file in which it begins, from 1. */
  readonly row: number;
  readonly cells: readonly string[];
}

/** The place of a row in the file. */
interface Place {
  readonly row: number;
  /** In bytes. */
  readonly offset: number;
}

/** What a table is made of, without its rows. */
export interface Layout {
  readonly separator: Separator;
  /** The names in the header, each different. */
  readonly columns: readonly string[];
  /** The rows below the header that say anything. */
  readonly total: number;
  /** The place of every thousandth row, from which others can be read without those before. */
  readonly places: readonly Place[];
}

/** Rows of a file. Source: contacts at work, 3. */
export const mostRows = 100_000;
const mostColumns = 300;
/** UTF-16 code units of a column's name: what is longer is cut. That of any custom field has room. */
const longestName = customFieldName('').length + nameLimit;

/** Rows between two places. */
const distance = 1_000;

/**
 * Reads a whole file without keeping it.
 * @param sample how many of its first rows are kept.
 * @throws a 400 `Failure` for a file that is no table, or too long.
 */
export function readLayout({ bytes }: DecodedFile, sample: number): Layout & { readonly rows: Row[] } {
  const separator = separatorIn(bytes);
  const places: Place[] = [];
  const rows: Row[] = [];
  let columns: string[] | undefined;
  let total = 0;
  readRecords(bytes, { separator, from: { row: 1, offset: 0 } }, (row, place) => {
    if (columns === undefined) {
      columns = namesOf(row.cells);
      return;
    }
    if (total % distance === 0) {
      places.push(place);
    }
    total += 1;
    if (total > mostRows) {
      throw new Failure('INVALID', `key names a file of more than ${mostRows} rows. Import it in parts.`);
    }
    if (rows.length < sample) {
      rows.push(row);
    }
  });
  if (columns === undefined) {
    throw new Failure('INVALID', 'key names an empty file. Its first line must name the columns.');
  }
  return { separator, columns, total, places, rows };
}

/** The rows after one of them, some at a time. */
export function* rowsAfter(
  bytes: Uint8Array,
  { separator, places }: Pick<Layout, 'separator' | 'places'>,
  after: number,
): Generator<Row> {
  for (const [index, from] of places.entries()) {
    const next = places[index + 1];
    if (next === undefined || next.row > after + 1) {
      const rows: Row[] = [];
      readRecords(bytes.subarray(0, next?.offset), { separator, from }, (row) => rows.push(row));
      yield* rows.filter(({ row }) => row > after);
    }
  }
}

interface Reading {
  readonly separator: Separator;
  readonly from: Place;
}

/** Gives every row from a place on that says anything, with its place. */
function readRecords(
  bytes: Uint8Array,
  { separator, from }: Reading,
  take: (row: Row, place: Place) => void,
): void {
  let { row, offset } = from;
  parsed(
    bytes.subarray(offset),
    separator,
    (cells, end) => {
      if (cells.some((cell) => cell.trim() !== '')) {
        take({ row, cells }, { row, offset });
      }
      // A cell keeps the line breaks within its quotes; the library counts some of them twice.
      row += 1 + cells.reduce((sum, cell) => sum + (cell.match(lineBreak)?.length ?? 0), 0);
      offset = from.offset + end;
    },
    () => row,
  );
}

const lineBreak = /\r\n|\r|\n/g;

/** Runs the library over bytes; `end` is where a record ends. @throws a 400 `Failure` for quotes that do not end, with the line. */
function parsed(
  bytes: Uint8Array,
  delimiter: Separator,
  take: (cells: string[], end: number) => void,
  line: () => number,
  to = -1,
): void {
  try {
    parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      to,
      on_record: (cells: string[], { bytes: end }) => {
        take(cells, end);
        return null;
      },
    });
  } catch (error) {
    if (error instanceof CsvError) {
      throw new Failure(
        'INVALID',
        `key names a file with a quotation mark that never ends, in the row of line ${line()} or below it. Save it as CSV again.`,
      );
    }
    throw error;
  }
}

/** Bytes and rows that tell the separator. */
const shown = { bytes: 64 * 1024, rows: 30 };

/** The separator with which most of the first rows have as many cells as the header; of several, the one with most cells; else a comma. */
function separatorIn(bytes: Uint8Array): Separator {
  const [best] = separators
    .map((separator) => {
      const counts: number[] = [];
      try {
        const start = bytes.subarray(0, shown.bytes);
        parsed(
          start,
          separator,
          ({ length }) => counts.push(length),
          () => 1,
          shown.rows,
        );
      } catch {
        // The start of a file may end between quotes.
      }
      const [cells = 1] = counts;
      return { separator, cells, alike: cells === 1 ? 0 : counts.filter((count) => count === cells).length };
    })
    .toSorted((one, other) => other.alike - one.alike || other.cells - one.cells);
  return best && best.alike > 0 ? best.separator : ',';
}

/** The names of columns: one without a name gets its number, and a name that came before gets a number behind it. */
function namesOf(cells: readonly string[]): string[] {
  const names = new Set<string>();
  if (cells.length > mostColumns) {
    throw new Failure('INVALID', `key names a file of more than ${mostColumns} columns. Leave some out.`);
  }
  for (const [index, cell] of cells.entries()) {
    const name = cell.trim().slice(0, longestName).toWellFormed() || `Column ${index + 1}`;
    let different = name;
    for (let count = 2; names.has(different); count += 1) {
      different = `${name} (${count})`;
    }
    names.add(different);
  }
  return [...names];
}
