import { boardRange, counterShards } from '../../../shared/board/card.ts';
import type { Stage } from '../../../shared/pipelines/pipeline.ts';
import { upTo } from '../../../shared/table/key.ts';
import type { RawRow, TableReader } from '../../../shared/table/table.ts';
import type { TimeRange } from '../../../shared/time-range.ts';
import type { View } from '../../../shared/views.ts';
import type { BoardPlan, ColumnPlan } from './board-plan.ts';
import { type BoardContact, contactInRow } from './board-row.ts';
import { type Predicate, predicatesOf } from './filters.ts';

export interface Column {
  readonly stage: Stage;
  /** The contacts on the page, newest first. */
  readonly contacts: readonly BoardContact[];
  /** The matching contacts on all pages. */
  readonly total: number;
}

/**
 * Reads all columns in parallel, in one round trip. A column of one list without conditions always costs the same, however large
 * the organization is; any other reads every card of its lists.
 */
export async function readBoard(
  table: TableReader,
  plan: BoardPlan,
  customFields: Predicate | undefined,
): Promise<Column[]> {
  const { columns, views, created, conditions } = plan;
  const predicates = [...predicatesOf(conditions), ...(customFields ? [customFields] : [])];
  const matches: Predicate = (contact) => predicates.every((predicate) => predicate(contact));
  const [view, ...others] = views;
  const isWhole = predicates.length === 0 && created === undefined && others.length === 0;
  return Promise.all(
    columns.map((column) =>
      isWhole && view !== undefined
        ? wholeColumn(table, plan, column, view)
        : searchedColumn(table, plan, column, matches),
    ),
  );
}

/** More rows than any column has: the database's limit is a 32-bit number. */
const rowLimit = 2 ** 31 - 1;

/** Counters sort after the entries, so one descending query reads the exact total and the newest contacts. */
async function wholeColumn(
  table: TableReader,
  { size }: BoardPlan,
  column: ColumnPlan,
  view: View,
): Promise<Column> {
  const { stage, page } = column;
  const first = (page - 1) * size;
  const contacts: BoardContact[] = [];
  let total = 0;
  let position = 0;
  const rows = table.rows(boardRange(stage._id, view), {
    descending: true,
    limit: Math.min(counterShards + first + size, rowLimit),
  });
  for await (const batch of rows) {
    for (const row of batch) {
      if (row.data === undefined) {
        total += row.n ?? 0;
        continue;
      }
      const contact = position >= first && contacts.length < size ? contactInRow(row, column) : undefined;
      if (contact !== undefined) {
        contacts.push(contact);
      }
      position += 1;
    }
    // The counters came first, so a page beyond the end is empty without reading up to it.
    if (first >= total) {
      break;
    }
  }
  return { stage, contacts, total };
}

async function searchedColumn(
  table: TableReader,
  { size, views, created }: BoardPlan,
  column: ColumnPlan,
  matches: Predicate,
): Promise<Column> {
  const { stage, page } = column;
  const first = (page - 1) * size;
  const contacts: BoardContact[] = [];
  let total = 0;
  const lists = views.map((view) => cards(table, stage, view, created));
  const [only = nothing(), ...others] = lists;
  const found = others.length === 0 ? matchesOf(only, column, matches) : merged(lists, column, matches);
  for await (const contact of found) {
    if (total >= first && contacts.length < size) {
      contacts.push(contact);
    }
    total += 1;
  }
  return { stage, contacts, total };
}

/** Matches in the order of the rows, batch by batch, so that memory holds only one batch. */
async function* matchesOf(
  batches: AsyncIterable<readonly RawRow[]>,
  column: ColumnPlan,
  matches: Predicate,
): AsyncIterable<BoardContact> {
  for await (const rows of batches) {
    for (const row of rows) {
      const contact = contactInRow(row, column);
      if (contact !== undefined && matches(contact)) {
        yield contact;
      }
    }
  }
}

/** Returns a contact of several lists once; it is unpacked only where it is read first. */
async function* merged(
  lists: readonly AsyncIterable<readonly RawRow[]>[],
  column: ColumnPlan,
  matches: Predicate,
): AsyncIterable<BoardContact> {
  const bySort = new Map<string, BoardContact>();
  await Promise.all(
    lists.map(async (batches) => {
      for await (const rows of batches) {
        for (const row of rows) {
          const contact = bySort.has(row.sk) ? undefined : contactInRow(row, column);
          if (contact !== undefined && matches(contact)) {
            bySort.set(row.sk, contact);
          }
        }
      }
    }),
  );
  for (const [, contact] of [...bySort].sort(([a], [b]) => (a < b ? 1 : -1))) {
    yield contact;
  }
}

/** Before the first and after the last entry of a list; counters sort after both. */
const bounds = { first: '0', last: ':' };

function cards(
  table: TableReader,
  { _id }: Stage,
  view: View,
  created: TimeRange | undefined,
): AsyncIterable<readonly RawRow[]> {
  const { partition } = boardRange(_id, view);
  const from = created?.from ?? bounds.first;
  const to = created?.to === undefined ? bounds.last : upTo([created.to]);
  return from > to ? nothing() : table.rows({ partition, between: { from, to } }, { descending: true });
}

async function* nothing(): AsyncIterable<never> {}
