import { boardRange } from '../../../shared/contact-aggregate/card.ts';
import type { BoardCounters } from '../../../shared/contact-aggregate/counters.ts';
import type { Contact } from '../../../shared/contacts/contact.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { View } from '../../../shared/organizations/views.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import { readCounters } from './board-counters.ts';
import type { ColumnPlan } from './board-plan.ts';
import { toBoardResponse } from './board-response.ts';
import { contactInRow } from './board-row.ts';
import { CachedColumns } from './cached-columns.ts';
import type { ColumnPage } from './page-cache.ts';
import { type FilteredBoard, type FoundColumns, followedColumns } from './search/indexed-columns.ts';

/** A board of whole lists: every card of one view, without conditions. */
export interface WholeBoard extends FilteredBoard {
  readonly view: View;
}

/** Readings of columns that change all the time: each takes milliseconds. */
const maxReadings = 20;

/**
 * The pages of all columns, by stage. A cached page is proven by its column's version in `counters`; all others
 * are read between two readings of the counters that agree, so that cards and total are of the same moment.
 * @throws a 503 `Failure` when a column changes faster than it can be read.
 */
export async function wholeColumns(
  table: TableReader,
  board: WholeBoard,
  counters: BoardCounters,
  now: Date,
): Promise<ReadonlyMap<string, ColumnPage>> {
  const { plan, view, stages } = board;
  const cached = new CachedColumns(table, board, now);
  const pages = cached.proven(counters);
  let missing = plan.columns.filter(({ stage }) => !pages.has(stage._id));
  const followed = await followedPages(table, board, missing, counters, now);
  if (followed !== undefined) {
    for (const column of missing) {
      const { _id } = column.stage;
      const page = followed.pages.get(_id);
      if (page !== undefined) {
        pages.set(_id, cached.put(column, followed.counters, page));
      }
    }
    return pages;
  }
  let before = counters;
  for (let reading = 0; missing.length > 0; reading += 1) {
    if (reading === maxReadings) {
      throw new Failure('UNAVAILABLE', 'The board is changing too fast to be read. Try again.', {
        retryAfter: 1,
      });
    }
    const [{ pipeline }] = missing as [ColumnPlan];
    const known = before;
    const read = await readPages(table, { view, size: plan.size, stages }, missing, known);
    const after = await readCounters(table, pipeline._id);
    missing = missing.filter((column, index) => {
      const { _id } = column.stage;
      const page = read[index];
      if (page === undefined || after.of(_id).version !== known.of(_id).version) {
        return true;
      }
      pages.set(_id, cached.put(column, after, page));
      return false;
    });
    before = after;
  }
  return pages;
}

/** About the read units of a page's card, and of two readings of the counters. */
const unitsOf = { card: 0.1, counters: 4 };

/** The changed columns of contacts from the index, where this process has one or reads changed columns often enough. */
async function followedPages(
  table: TableReader,
  { view: _, ...board }: WholeBoard,
  missing: readonly ColumnPlan[],
  counters: BoardCounters,
  now: Date,
): Promise<FoundColumns | undefined> {
  const { plan } = board;
  if (missing[0]?.pipeline.type !== 'Contact') {
    return undefined;
  }
  const units = missing.length * plan.size * unitsOf.card + unitsOf.counters;
  try {
    const changed = { ...board, plan: { ...plan, columns: missing } };
    return await followedColumns(table, changed, { counters, units }, now);
  } catch (error) {
    // There is no need to wait until a change is visible in the index: the lists have it.
    if (error instanceof Failure) {
      return undefined;
    }
    throw error;
  }
}

/** Reads pages in parallel. The totals of the view of all are known already. */
async function readPages(
  table: TableReader,
  { view, size, stages }: Pick<WholeBoard, 'view' | 'stages'> & { readonly size: number },
  columns: readonly ColumnPlan[],
  all: BoardCounters,
): Promise<ColumnPage[]> {
  const [{ pipeline }] = columns as [ColumnPlan];
  const counters = view[0] === 'all' ? Promise.resolve(all) : readCounters(table, pipeline._id, view);
  return Promise.all(
    columns.map(async (column) => {
      const { _id } = column.stage;
      const first = (column.page - 1) * size;
      // A page beyond the end is empty without reading up to it.
      const isBeyond = first > 0 && first >= (await counters).of(_id).total;
      const contacts = isBeyond ? [] : await contactsOn(table, column, { view, first, size, stages });
      return { contacts: JSON.stringify(contacts), total: (await counters).of(_id).total };
    }),
  );
}

async function contactsOn(
  table: TableReader,
  column: ColumnPlan,
  { view, first, size, stages }: Pick<WholeBoard, 'view' | 'stages'> & { first: number; size: number },
): Promise<Contact[]> {
  const contacts: Contact[] = [];
  let position = 0;
  const rows = table.rows(boardRange(column.stage._id, view), {
    descending: true,
    consistent: true,
    limit: first + size,
  });
  for await (const batch of rows) {
    for (const row of batch) {
      if (position >= first) {
        contacts.push(toBoardResponse(contactInRow(row, column), stages));
      }
      position += 1;
    }
  }
  return contacts;
}
