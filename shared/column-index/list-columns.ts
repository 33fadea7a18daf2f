import type { StoredContact } from '../contacts/contact.ts';
import { parseJson } from '../kernel/exact-numbers.ts';
import { ColumnReader, ColumnWriter, type Numbers } from './columns.ts';

type CustomFields = StoredContact['customFields'];

/** Packs a list of values for each row, given as JSON: each distinct value once, and for each row the numbers of its values. */
function packedLists(rows: readonly (readonly string[])[]): Uint8Array {
  const numbers = new Map<string, number>();
  const numberOf = (value: string) => {
    const number = numbers.get(value) ?? numbers.size;
    numbers.set(value, number);
    return number;
  };
  const lists = rows.map((values) => values.map(numberOf));
  return new ColumnWriter()
    .text(`[${[...numbers.keys()].join(',')}]`)
    .numbers(lists.map(({ length }) => length))
    .numbers(lists.flat())
    .done();
}

/** Packs custom fields as pairs of a key and a value, in the order of the keys: so rows with the same fields have the same numbers. */
export function packedCustomFields(rows: readonly CustomFields[]): Uint8Array {
  return packedLists(
    rows.map((fields) =>
      Object.keys(fields)
        .sort()
        .map((key) => JSON.stringify([key, fields[key] ?? null])),
    ),
  );
}

export const packedTags = (rows: readonly (readonly string[])[]): Uint8Array =>
  packedLists(rows.map((tags) => tags.map((tag) => JSON.stringify(tag))));

/** A list of values for each row. */
export class ListColumns<Value> {
  readonly #values: readonly Value[];
  readonly #counts: Numbers;
  readonly #numbers: Numbers;
  readonly #textLength: number;

  constructor(packed: Uint8Array) {
    const reader = new ColumnReader(packed);
    const text = reader.text();
    this.#textLength = text.length;
    this.#values = parseJson(text) as Value[];
    this.#counts = reader.numbers();
    this.#numbers = reader.numbers();
  }

  /** Sets `marks` to 0 for the rows none of whose values is right. Each distinct value is tested once. */
  unmark(isRight: (value: Value) => boolean, marks: Uint8Array): void {
    const passes = Uint8Array.from(this.#values, (value) => (isRight(value) ? 1 : 0));
    let next = 0;
    for (let row = 0; row < this.#counts.length; row += 1) {
      let found = 0;
      for (const end = next + (this.#counts[row] as number); next < end; next += 1) {
        found |= passes[this.#numbers[next] as number] as number;
      }
      marks[row] = (marks[row] as number) & found;
    }
  }

  /** How many of these rows, in rising order, have each value. */
  counts(rows: Uint32Array): (readonly [value: Value, count: number])[] {
    const counts = new Uint32Array(this.#values.length);
    let [row, next] = [0, 0];
    for (const wanted of rows) {
      for (; row < wanted; row += 1) {
        next += this.#counts[row] as number;
      }
      for (let at = next; at < next + (this.#counts[row] as number); at += 1) {
        const number = this.#numbers[at] as number;
        counts[number] = (counts[number] as number) + 1;
      }
    }
    return this.#values.map((value, number) => [value, counts[number] as number]);
  }

  rows(): Value[][] {
    let next = 0;
    return Array.from(this.#counts, (count) => {
      const numbers = this.#numbers.subarray(next, next + count);
      next += count;
      return Array.from(numbers, (number) => this.#values[number] as Value);
    });
  }

  get bytes(): number {
    return 6 * this.#textLength + this.#counts.byteLength + this.#numbers.byteLength;
  }
}
