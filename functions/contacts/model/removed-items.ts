import { comparePlaces, type TimeOrder } from '../../../shared/column-index/ordered-matches.ts';
import {
  type RemovedContact,
  removedContactRange,
} from '../../../shared/contact-aggregate/removed-contacts.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { type Scope, sees } from '../../../shared/organizations/visibility.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import type { ListItem } from './contact-list.ts';

/** Records that are read at once. */
const pageSize = 200;

/** The contacts that went from the scope after the place of the order, oldest first, at most `limit`. */
export async function readRemovedItems(
  table: TableReader,
  scope: Scope,
  { after = { time: 0, id: '' }, before = Number.POSITIVE_INFINITY, limit }: TimeOrder,
): Promise<ListItem[]> {
  const items: ListItem[] = [];
  const range = removedContactRange(timestamp(new Date(after.time)));
  for (let cursor: string | null | undefined; cursor !== null && items.length < limit; ) {
    const page = await table.page(range, { limit: pageSize, consistent: true, cursor });
    for (const { key, data } of page.records) {
      const [deletedAt = '', id = ''] = key.sort;
      const place = { time: Date.parse(deletedAt), id };
      if (place.time >= before) {
        return items;
      }
      if (wentFrom(scope, data) && comparePlaces(place, after, false) > 0 && items.length < limit) {
        const { reason, mergedInto } = data;
        items.push({ ...place, text: JSON.stringify({ _id: id, deletedAt, reason, mergedInto }) });
      }
    }
    cursor = page.nextCursor;
  }
  return items;
}

const wentFrom = (scope: Scope, { people, remaining = [] }: RemovedContact) =>
  sees(scope, people) && (remaining.length === 0 || !sees(scope, remaining));
