import { indexedContact } from '../column-index/indexed-contact.ts';
import { boardRange } from '../contact-aggregate/card.ts';
import { type BoardCounters, readCounters } from '../contact-aggregate/counters.ts';
import { Failure } from '../kernel/failure.ts';
import type { View } from '../organizations/views.ts';
import { upTo } from '../table/key.ts';
import type { TableReader } from '../table/table.ts';
import type { Board, ColumnPlan } from './board-plan.ts';
import { toBoardResponse } from './board-response.ts';
import { type BoardContact, contactInRow } from './board-row.ts';
import { type ColumnPage, PageCache } from './page-cache.ts';
import { searchQuery } from './search-page.ts';

/** Readings of columns that change all the time: each takes milliseconds. */
const maxReadings = 20;

/** The pages of lists that this process has read. */
const pageCache = new PageCache();

/**
 * The pages of all columns, by stage, of a board that shows every card of one list. A cached page is right while the counters show the
 * version at which it was read; all others are read between two readings of the counters that agree, so that cards and total are of the
 * same moment. The counters of the view of all prove the cards of every view.
 * @throws a 503 `Failure` when a column changes faster than it can be read.
 */
export async function loadListPage(
  table: TableReader,
  board: Board,
  view: View,
  now: Date,
): Promise<ReadonlyMap<string, ColumnPage>> {
  const { plan, pipelinesVersion } = board;
  const [{ pipeline }] = plan.columns as [ColumnPlan];
  const at = now.getTime();
  const keyOf = ({ stage, page }: ColumnPlan) =>
    JSON.stringify([table.organizationId, pipelinesVersion, stage._id, page, plan.size, view]);
  const pages = new Map<string, ColumnPage>();
  let counters = await readCounters(table, pipeline._id);
  let missing = plan.columns.filter((column) => {
    const { _id } = column.stage;
    const cached = pageCache.get(keyOf(column), counters.of(_id).version, at);
    if (cached !== undefined) {
      pages.set(_id, cached);
    }
    return cached === undefined;
  });
  for (let reading = 0; missing.length > 0; reading += 1) {
    if (reading === maxReadings) {
      throw new Failure('UNAVAILABLE', 'The board is changing too fast to be read. Try again.', {
        retryAfter: 1,
      });
    }
    const before = counters;
    const read = await readPages(table, board, view, missing, before);
    counters = await readCounters(table, pipeline._id);
    missing = missing.filter((column, index) => {
      const { _id } = column.stage;
      const { version } = counters.of(_id);
      const page = read[index];
      if (page === undefined || version !== before.of(_id).version) {
        return true;
      }
      pages.set(_id, page);
      pageCache.put(keyOf(column), version, page, at);
      return false;
    });
  }
  return pages;
}

/** Reads pages in parallel. The totals of the view of all are known already. */
async function readPages(
  table: TableReader,
  { plan: { size }, stages }: Board,
  view: View,
  columns: readonly ColumnPlan[],
  all: BoardCounters,
): Promise<ColumnPage[]> {
  const [{ pipeline }] = columns as [ColumnPlan];
  const counters = view[0] === 'all' ? Promise.resolve(all) : readCounters(table, pipeline._id, view);
  return Promise.all(
    columns.map(async (column) => {
      const { _id } = column.stage;
      const first = (column.page - 1) * size;
      const contacts: BoardContact[] = [];
      // A page beyond the end is empty without reading up to it.
      if (first === 0 || first < (await counters).of(_id).total) {
        const options = { descending: true, consistent: true, limit: first + size };
        let above = first;
        for await (const batch of table.rows(boardRange(_id, view), options)) {
          contacts.push(...batch.slice(above).map((row) => contactInRow(row, column)));
          above = Math.max(0, above - batch.length);
        }
      }
      return { contacts: pageText(contacts, stages), total: (await counters).of(_id).total };
    }),
  );
}

/**
 * The pages of all columns, by stage, of the cards that match, for boards that no index can tell. It reads every card of the view of all, and
 * is of the time that this takes.
 */
export async function readFilteredColumns(
  table: TableReader,
  { plan, customFields, stages }: Board,
): Promise<ReadonlyMap<string, ColumnPage>> {
  const { columns, size, created } = plan;
  // On a board of applications, the range is one of when the application was created, which only the list knows.
  const { matches } = searchQuery({ ...plan, created: undefined }, customFields);
  const between = { from: created?.from ?? '0', to: created?.to === undefined ? ':' : upTo([created.to]) };
  const pages = columns.map(async (column) => {
    const first = (column.page - 1) * size;
    const contacts: BoardContact[] = [];
    let total = 0;
    const { partition } = boardRange(column.stage._id, ['all']);
    const rows = between.from > between.to ? [] : table.rows({ partition, between }, { descending: true });
    for await (const batch of rows) {
      for (const row of batch) {
        const contact = contactInRow(row, column);
        if (matches(indexedContact(contact))) {
          if (total >= first && contacts.length < size) {
            contacts.push(contact);
          }
          total += 1;
        }
      }
    }
    return [column.stage._id, { contacts: pageText(contacts, stages), total }] as const;
  });
  return new Map(await Promise.all(pages));
}

const pageText = (contacts: readonly BoardContact[], stages: Board['stages']) =>
  JSON.stringify(contacts.map((contact) => toBoardResponse(contact, stages)));
