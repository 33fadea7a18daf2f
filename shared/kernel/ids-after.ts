import { incrementBase32 } from 'ulid';

/** Makes ids that are each later than the one before: records are listed by their ids, and those of one invocation have one time. */
export function idsAfter(first: string): () => string {
  let last = first;
  return () => {
    last = incrementBase32(last);
    return last;
  };
}
