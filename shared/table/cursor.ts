import { Failure } from '../kernel/failure.ts';
import { joined, type Space } from './key.ts';
import type { Page, PageOptions, Stored } from './table.ts';

/** An opaque cursor. It holds only the last sort key of a page: the partition comes from the query, so no cursor can leave it. */
export function toCursor(sort: string): string {
  return Buffer.from(sort, 'utf8').toString('base64url');
}

/**
 * A key text between two neighbouring sort keys that spells neither of them out: only as much of one as sets it apart from the other.
 * It takes the place of the last key of a page where that belongs to a record that the reader may not see.
 */
export function keyTextBetween(last: string, next: string, { descending }: { descending: boolean }): string {
  const [characters, nextCharacters] = [[...last], [...next]];
  const common = characters.findIndex((character, index) => character !== nextCharacters[index]);
  const apart = (common === -1 ? characters.length : common) + 1;
  if (descending) {
    return characters.slice(0, apart).join('');
  }
  const keyText = nextCharacters.slice(0, apart).join('');
  // A page begins after its key text.
  return keyText === next ? last : keyText;
}

/** The page of these records; a record more than the page holds shows that another page follows. */
export function toPage<Data, S extends Space>(
  found: readonly Stored<Data, S>[],
  { limit, isShown = () => true, descending = false }: PageOptions<Data, S>,
): Page<Data, S> {
  const records = found.slice(0, limit);
  const [last, next] = [records.at(-1), found[limit]];
  if (last === undefined || next === undefined) {
    return { records, nextCursor: null };
  }
  const [end, beyond] = [joined(last.key.sort), joined(next.key.sort)];
  const keyText = isShown(last) ? end : keyTextBetween(end, beyond, { descending });
  return { records, nextCursor: toCursor(keyText) };
}

/** Bytes that a sort key may have. Source: DynamoDB quotas. */
const longestSort = 1024;

/** The sort key in a cursor. @throws a 400 `Failure` for a cursor that no page of this list returned. */
export function sortInCursor(cursor: string, lies: (sort: string) => boolean): string {
  const sort = Buffer.from(cursor, 'base64url').toString('utf8');
  if (toCursor(sort) !== cursor || Buffer.byteLength(sort) > longestSort || !lies(sort)) {
    throw new Failure('INVALID', 'cursor must be a nextCursor of this list');
  }
  return sort;
}
