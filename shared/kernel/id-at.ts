import { encodeTime } from 'ulid';

/** Characters of an id that tell its time. */
const timeLength = 10;

/** An id as of another time: records are listed in the order of their ids, and what is recorded now may have been received earlier, or be due later. */
export function idAt(time: Date, id: string): string {
  return encodeTime(time.getTime(), timeLength) + id.slice(timeLength);
}
