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
  const found = views.map((view) => matchesOf(cards(table, stage, view, created), column, matches));
  const [only = nothing(), ...others] = found;
  for await (const { contact } of others.length === 0 ? only : merged(found)) {
    if (total >= first && contacts.length < size) {
      contacts.push(contact);
    }
    total += 1;
  }
  return { stage, contacts, total };
}

interface Match {
  readonly sort: string;
  readonly contact: BoardContact;
}

/** Matches in the order of the rows, batch by batch, so that memory holds only one batch. */
async function* matchesOf(
  batches: AsyncIterable<readonly RawRow[]>,
  column: ColumnPlan,
  matches: Predicate,
): AsyncIterable<Match> {
  for await (const rows of batches) {
    for (const row of rows) {
      const contact = contactInRow(row, column);
      if (contact !== undefined && matches(contact)) {
        yield { sort: row.sk, contact };
      }
    }
  }
}

/** Returns a contact of several lists once. */
async function* merged(found: readonly AsyncIterable<Match>[]): AsyncIterable<Match> {
  const bySort = new Map<string, Match>();
  await Promise.all(
    found.map(async (matches) => {
      for await (const match of matches) {
        bySort.set(match.sort, match);
      }
    }),
  );
  yield* [...bySort.values()].sort((a, b) => (a.sort < b.sort ? 1 : -1));
}

/** Before the first and after the last entry of a list; counters sort after both. */
const dawn = '0';
const dusk = ':';

function cards(
  table: TableReader,
  { _id }: Stage,
  view: View,
  created: TimeRange | undefined,
): AsyncIterable<readonly RawRow[]> {
  const { partition } = boardRange(_id, view);
  const from = created?.from ?? dawn;
  const to = created?.to === undefined ? dusk : upTo([created.to]);
  return from > to ? nothing() : table.rows({ partition, between: { from, to } }, { descending: true });
}

async function* nothing(): AsyncIterable<never> {}
