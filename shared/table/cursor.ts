import { Failure } from '../kernel/failure.ts';

/** An opaque cursor. It holds only the last sort key of a page: the partition comes from the query, so no cursor can leave it. */
export function cursorOf(sort: string): string {
  return Buffer.from(sort, 'utf8').toString('base64url');
}

/**
 * A place between two neighbouring sort keys that spells neither of them out: only as much of one as sets it apart from the other.
 * It takes the place of the last key of a page where that belongs to a record that the reader may not see.
 */
export function placeBetween(last: string, next: string, { descending }: { descending: boolean }): string {
  const [characters, nextCharacters] = [[...last], [...next]];
  const common = characters.findIndex((character, index) => character !== nextCharacters[index]);
  const apart = (common === -1 ? characters.length : common) + 1;
  if (descending) {
    return characters.slice(0, apart).join('');
  }
  const place = nextCharacters.slice(0, apart).join('');
  // A page begins after its place.
  return place === next ? last : place;
}

/** The most bytes of a sort key. Source: DynamoDB quotas. */
const longestSort = 1024;

/** The sort key in a cursor. @throws a 400 `Failure` for a cursor that no page of this list returned. */
export function sortOf(cursor: string, lies: (sort: string) => boolean): string {
  const sort = Buffer.from(cursor, 'base64url').toString('utf8');
  if (cursorOf(sort) !== cursor || Buffer.byteLength(sort) > longestSort || !lies(sort)) {
    throw new Failure('INVALID', 'cursor must be a nextCursor of this list');
  }
  return sort;
}
