import { encodeTime } from 'ulid';

/** Characters of an id that hold its time. */
const timeLength = 10;

/**
 * The id with another time: records are listed in the order of their ids, and a record may have been received before it is stored, or be
 * due later.
 */
export function idAt(time: Date, id: string): string {
  return encodeTime(time.getTime(), timeLength) + id.slice(timeLength);
}
