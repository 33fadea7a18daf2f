import { boardRange } from '../../../shared/board/card.ts';
import { upTo } from '../../../shared/table/key.ts';
import type { RawRow, TableReader } from '../../../shared/table/table.ts';
import type { TimeRange } from '../../../shared/time-range.ts';
import type { View } from '../../../shared/views.ts';
import { type BoardContact, type BoardPlace, contactInRow } from './board-row.ts';
import type { Predicate } from './filters.ts';

/** One column of a board. */
export interface Column {
  readonly contacts: readonly BoardContact[];
  /** All that match, on every page. */
  readonly total: number;
}

export interface ColumnQuery extends BoardPlace {
  /** From 1. */
  readonly page: number;
  readonly size: number;
  readonly views: readonly View[];
  /** When what the column is sorted by was created: the contact, or its application. */
  readonly created: TimeRange | undefined;
  readonly matches: Predicate | undefined;
}

/**
 * The contacts of one stage that match, or those of its applications, newest first, with an exact total. The one interface of search and filters: nothing
 * outside knows how they are found. This way reads the cards of the visible views and evaluates the predicate in memory,
 * at a price that grows with the views.
 */
export async function searchColumn(table: TableReader, query: ColumnQuery): Promise<Column> {
  const { page, size, views } = query;
  const found = views.length === 1 ? matchesOfOneView(table, query) : matchesOfMergedViews(table, query);
  const first = (page - 1) * size;
  const contacts: BoardContact[] = [];
  let total = 0;
  for await (const contact of found) {
    if (total >= first && contacts.length < size) {
      contacts.push(contact);
    }
    total += 1;
  }
  return { contacts, total };
}

/** In the order of the view, batch by batch, so that memory holds no more than a batch. */
async function* matchesOfOneView(table: TableReader, query: ColumnQuery): AsyncIterable<BoardContact> {
  const [view] = query.views;
  if (view === undefined) {
    return;
  }
  for await (const rows of cards(table, query, view)) {
    for (const row of rows) {
      const contact = contactInRow(row, query);
      if (contact !== undefined && (query.matches?.(contact) ?? true)) {
        yield contact;
      }
    }
  }
}

/** Several of the views may list a contact: it is counted once. */
async function* matchesOfMergedViews(table: TableReader, query: ColumnQuery): AsyncIterable<BoardContact> {
  const merged = new Map<string, BoardContact>();
  await Promise.all(
    query.views.map(async (view) => {
      for await (const rows of cards(table, query, view)) {
        for (const row of rows) {
          const contact = merged.has(row.sk) ? undefined : contactInRow(row, query);
          if (contact !== undefined && (query.matches?.(contact) ?? true)) {
            merged.set(row.sk, contact);
          }
        }
      }
    }),
  );
  for (const [, contact] of [...merged].sort(([a], [b]) => (a < b ? 1 : -1))) {
    yield contact;
  }
}

/** Before the first and after the last entry of a view; counters sort behind both. */
const dawn = '0';
const dusk = ':';

function cards(
  table: TableReader,
  { stage, created }: ColumnQuery,
  view: View,
): AsyncIterable<readonly RawRow[]> {
  const { partition } = boardRange(stage._id, view);
  const from = created?.from ?? dawn;
  const to = created?.to === undefined ? dusk : upTo([created.to]);
  return from > to ? nothing() : table.rows({ partition, between: { from, to } }, { descending: true });
}

async function* nothing(): AsyncIterable<readonly RawRow[]> {}
