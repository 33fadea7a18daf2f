import { Failure } from '../kernel/failure.ts';

/** An opaque cursor. It holds only the last sort key of a page: the partition comes from the query, so no cursor can leave it. */
export function cursorOf(sort: string): string {
  return Buffer.from(sort, 'utf8').toString('base64url');
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
