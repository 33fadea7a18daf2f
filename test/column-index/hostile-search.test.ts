import { expect, test } from 'vitest';
import { packedTexts, TextColumns } from '../../shared/column-index/text-columns.ts';
import { textSearch } from '../../shared/column-index/text-search.ts';
import { processorTime } from '../harness/processor-time.ts';

/** So many that a search which goes over a name once for each of its letters takes minutes. */
const rows = 60_000;
/** Milliseconds of processor time: 20 times what it takes, because a busy machine takes longer for the same. */
const wideBound = 6_000;
const a = (count: number) => 'a'.repeat(count);
const names: [string, string][] = [
  ['that repeat one letter, and one time less than the search', `${a(99)} ${a(199)}`],
  ['that repeat one letter, and are found', `${a(200)} ${a(200)}`],
  ['that differ from the search in the first letter', `${a(100)} b${a(199)}`],
];
const searches = [a(200), `b${a(199)}`, `${a(199)}b`, `${a(100)}b${a(99)}`, 'ab'.repeat(100)];

test.each(names)('A search through names %s takes no longer than any other', async (_, name) => {
  const columns = new TextColumns(packedTexts(Array.from({ length: rows }, () => ({ name, phones: [] }))));
  for (const search of searches) {
    const marks = new Uint8Array(rows);
    const time = await processorTime(() => columns.mark(textSearch(search), marks));
    expect(marks.every((mark) => mark === (name.includes(search) ? 1 : 0))).toBe(true);
    expect(time).toBeLessThan(wideBound);
  }
});

test('A search of a hundred words through names of hundreds takes no longer than any other', async () => {
  const words = 'a '.repeat(99);
  const name = `${words}b ${words}a`;
  const columns = new TextColumns(packedTexts(Array.from({ length: rows }, () => ({ name, phones: [] }))));
  for (const search of [`${words}c`, `c ${words}`.trim(), `${words}aa`]) {
    const marks = new Uint8Array(rows);
    const time = await processorTime(() => columns.mark(textSearch(search), marks));
    expect(marks.includes(1)).toBe(false);
    expect(time).toBeLessThan(wideBound);
  }
});
