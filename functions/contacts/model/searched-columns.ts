import { boardRange } from '../../../shared/contact-aggregate/card.ts';
import type { Stage } from '../../../shared/contacts/pipeline.ts';
import { upTo } from '../../../shared/table/key.ts';
import type { RawRow, TableReader } from '../../../shared/table/table.ts';
import type { BoardPlan, ColumnPlan } from './board-plan.ts';
import { toBoardResponse } from './board-response.ts';
import { type BoardContact, contactInRow } from './board-row.ts';
import { type CustomFieldTest, customFieldsPredicate } from './custom-filters.ts';
import { type Predicate, predicatesOf } from './filters.ts';
import type { ColumnPage } from './page-cache.ts';
import type { TimeRange } from './time-range.ts';

/**
 * The pages of all columns, by stage, of the cards that match. It reads every card of the plan's lists, at twice the price if it must see
 * every write acknowledged before.
 */
export async function searchedColumns(
  table: TableReader,
  plan: BoardPlan,
  customFields: readonly CustomFieldTest[],
  stages: ReadonlyMap<string, Stage>,
  { consistent }: { readonly consistent: boolean },
): Promise<ReadonlyMap<string, ColumnPage>> {
  const predicates = [...predicatesOf(plan.conditions), customFieldsPredicate(customFields)];
  const matches: Predicate = (contact) => predicates.every((predicate) => predicate(contact));
  const pages = await Promise.all(
    plan.columns.map(async (column) => {
      const { contacts, total } = await searchedColumn(table, plan, column, { matches, consistent });
      const text = JSON.stringify(contacts.map((contact) => toBoardResponse(contact, stages)));
      return [column.stage._id, { contacts: text, total }] as const;
    }),
  );
  return new Map(pages);
}

async function searchedColumn(
  table: TableReader,
  { size, views, created }: BoardPlan,
  column: ColumnPlan,
  { matches, consistent }: { matches: Predicate; consistent: boolean },
): Promise<{ contacts: BoardContact[]; total: number }> {
  const { stage, page } = column;
  const first = (page - 1) * size;
  const contacts: BoardContact[] = [];
  let total = 0;
  const lists = views.map((view) => cards(table, boardRange(stage._id, view), created, consistent));
  const [only = nothing(), ...others] = lists;
  const found = others.length === 0 ? matchesOf(only, column, matches) : merged(lists, column, matches);
  for await (const contact of found) {
    if (total >= first && contacts.length < size) {
      contacts.push(contact);
    }
    total += 1;
  }
  return { contacts, total };
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
      if (matches(contact)) {
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

/** Before the first and after the last entry of a list. */
const bounds = { first: '0', last: ':' };

function cards(
  table: TableReader,
  { partition }: ReturnType<typeof boardRange>,
  created: TimeRange | undefined,
  consistent: boolean,
): AsyncIterable<readonly RawRow[]> {
  const from = created?.from ?? bounds.first;
  const to = created?.to === undefined ? bounds.last : upTo([created.to]);
  return from > to
    ? nothing()
    : table.rows({ partition, between: { from, to } }, { descending: true, consistent });
}

async function* nothing(): AsyncIterable<never> {}
