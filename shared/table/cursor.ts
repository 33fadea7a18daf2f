import { Failure } from '../kernel/failure.ts';

/**
 * An opaque cursor holds the last sort key of a page and nothing else: the partition comes from the query, so that no
 * cursor can lead out of it.
 */
export function cursorOf(sort: string): string {
  return Buffer.from(sort, 'utf8').toString('base64url');
}

/** Bytes of a sort key. Source: DynamoDB quotas. */
const longestSort = 1024;

/** The sort key in a cursor. @throws a 400 `Failure` for anything that no page of this list answered. */
export function sortOf(cursor: string, lies: (sort: string) => boolean): string {
  const sort = Buffer.from(cursor, 'base64url').toString('utf8');
  if (cursorOf(sort) !== cursor || Buffer.byteLength(sort) > longestSort || !lies(sort)) {
    throw new Failure('INVALID', 'cursor must be a nextCursor of this list');
  }
  return sort;
}
