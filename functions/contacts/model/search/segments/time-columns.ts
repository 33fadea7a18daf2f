import type { Timestamp } from '../../../../../shared/kernel/time.ts';
import { ColumnReader, ColumnWriter, withoutSign, withSign } from './columns.ts';
import { millisecondsOf } from './key-columns.ts';

/** No message, or a time of an unusual form; then the times since the creation, counted from 2. */
const cases = { none: 0, odd: 1, times: 2 } as const;

/** Packs the times of the last messages: each as the time since another one of the same contact. */
export function packedTimes(
  rows: readonly { readonly createdAt: string; readonly lastMessageAt: Timestamp | null }[],
): Uint8Array {
  const odd: [row: number, at: string][] = [];
  const numbers = rows.map(({ createdAt, lastMessageAt }, row) => {
    if (lastMessageAt === null) {
      return cases.none;
    }
    const [from, at] = [millisecondsOf(createdAt), millisecondsOf(lastMessageAt)];
    if (from === undefined || at === undefined) {
      odd.push([row, lastMessageAt]);
      return cases.odd;
    }
    return cases.times + withoutSign(at - from);
  });
  return new ColumnWriter().numbers(numbers).text(JSON.stringify(odd)).done();
}

/** The times of the last messages; `created` are those of the rows' creation. */
export function lastMessageTimes(packed: Uint8Array, created: Float64Array): (Timestamp | null)[] {
  const reader = new ColumnReader(packed);
  const times = Array.from(reader.numbers(), (number, row) =>
    number < cases.times
      ? null
      : new Date((created[row] as number) + withSign(number - cases.times)).toISOString(),
  );
  for (const [row, at] of JSON.parse(reader.text()) as [number, string][]) {
    times[row] = at;
  }
  return times;
}
