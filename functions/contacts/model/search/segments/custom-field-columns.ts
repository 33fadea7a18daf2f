import type { StoredContact } from '../../../../../shared/contacts/contact.ts';
import { parseJson } from '../../../../../shared/kernel/exact-numbers.ts';
import type { CustomFieldTest } from '../../custom-filters.ts';
import { ColumnReader, ColumnWriter, type Numbers } from './columns.ts';

type CustomFields = StoredContact['customFields'];

/** Packs custom fields: each distinct pair of a key and a value once, and for each row the numbers of its pairs. */
export function packedCustomFields(rows: readonly CustomFields[]): Uint8Array {
  const numbers = new Map<string, number>();
  const numberOf = (pair: string) => {
    const number = numbers.get(pair) ?? numbers.size;
    numbers.set(pair, number);
    return number;
  };
  // In the order of the keys, so that rows with the same fields have the same sequence of numbers.
  const pairs = rows.map((fields) =>
    Object.keys(fields)
      .sort()
      .map((key) => numberOf(JSON.stringify([key, fields[key] ?? null]))),
  );
  return new ColumnWriter()
    .text(`[${[...numbers.keys()].join(',')}]`)
    .numbers(pairs.map(({ length }) => length))
    .numbers(pairs.flat())
    .done();
}

export class CustomFieldColumns {
  readonly #pairs: readonly (readonly [key: string, value: unknown])[];
  readonly #counts: Numbers;
  readonly #numbers: Numbers;
  readonly #textLength: number;

  constructor(packed: Uint8Array) {
    const reader = new ColumnReader(packed);
    const text = reader.text();
    this.#textLength = text.length;
    this.#pairs = parseJson(text) as [string, unknown][];
    this.#counts = reader.numbers();
    this.#numbers = reader.numbers();
  }

  /** Sets `marks` to 0 for the rows that do not pass all tests. Each distinct value is tested once. */
  unmark(tests: readonly CustomFieldTest[], marks: Uint8Array): void {
    for (const { key, matches } of tests) {
      const passes = Uint8Array.from(this.#pairs, ([name, value]) =>
        name === key && matches(value) ? 1 : 0,
      );
      let next = 0;
      for (let row = 0; row < this.#counts.length; row += 1) {
        let found = 0;
        for (const end = next + (this.#counts[row] as number); next < end; next += 1) {
          found |= passes[this.#numbers[next] as number] as number;
        }
        marks[row] = (marks[row] as number) & found;
      }
    }
  }

  rows(): CustomFields[] {
    let next = 0;
    return Array.from(this.#counts, (count) => {
      const own = Array.from(
        this.#numbers.subarray(next, next + count),
        (number) => this.#pairs[number] as readonly [string, unknown],
      );
      next += count;
      return Object.fromEntries(own);
    });
  }

  get bytes(): number {
    return 6 * this.#textLength + this.#counts.byteLength + this.#numbers.byteLength;
  }
}
