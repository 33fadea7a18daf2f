import { indexedContact } from '../column-index/indexed-contact.ts';
import { boardRange } from '../contact-aggregate/card.ts';
import type { StoredContact } from '../contacts/contact.ts';
import { keyParts, upTo } from '../table/key.ts';
import type { TableReader } from '../table/table.ts';
import type { BoardPlan, ColumnPlan } from './board-plan.ts';
import { contactInRow } from './board-row.ts';
import type { CustomFieldTest } from './custom-filters.ts';
import { searchQuery } from './search-page.ts';

/** Where the reading of a long list has come to. */
export interface MatchPlace {
  readonly stageId: string;
  /** The sort key of the last row. */
  readonly row: string;
}

/**
 * All contacts that a board shows, on all of its pages: column by column, the oldest first, from a place on. Each column is read while others
 * change it: a contact that moves meanwhile may come twice, or not at all.
 */
export async function* readMatches(
  table: TableReader,
  plan: BoardPlan,
  customFields: readonly CustomFieldTest[],
  after?: MatchPlace,
): AsyncGenerator<{ readonly contacts: readonly StoredContact[]; readonly place: MatchPlace }> {
  const { matches } = searchQuery(plan, customFields);
  const { columns } = plan;
  const first = after ? columns.findIndex(({ stage }) => stage._id === after.stageId) : 0;
  for (const column of columns.slice(Math.max(0, first))) {
    const stageId = column.stage._id;
    const from = after?.stageId === stageId ? upTo(keyParts(after.row)) : '0';
    yield* readColumn(table, column, from, (contact) => matches(indexedContact(contact)));
  }
}

async function* readColumn(
  table: TableReader,
  column: ColumnPlan,
  from: string,
  isMatch: (contact: StoredContact) => boolean,
) {
  const { partition } = boardRange(column.stage._id, ['all']);
  for await (const rows of table.rows({ partition, between: { from, to: ':' } }, {})) {
    const last = rows.at(-1);
    if (last !== undefined) {
      const contacts = rows.map((row) => contactInRow(row, column)).filter(isMatch);
      yield { contacts, place: { stageId: column.stage._id, row: last.sk } };
    }
  }
}
