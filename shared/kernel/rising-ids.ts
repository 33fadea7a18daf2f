import { incrementBase32 } from 'ulid';

/** Makes ids that each sort after the one before, even within one millisecond: records are listed by their ids. */
export function risingIds(newId: () => string): () => string {
  let last: string | undefined;
  return () => {
    const id = newId();
    last = last === undefined || id > last ? id : incrementBase32(last);
    return last;
  };
}
