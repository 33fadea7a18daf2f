import type { Timestamp } from '../kernel/time.ts';
import { ColumnReader, ColumnWriter, type Numbers, withoutSign, withSign } from './columns.ts';
import type { FilteredFields } from './indexed-contact.ts';
import { toMilliseconds } from './key-columns.ts';

/** The fields about people, the source and the last direction. */
export type PeopleFields = Omit<FilteredFields, 'lastMessageAt'>;

/** Numbers the distinct values of a column in the order of their first use. */
class Dictionary<Value> {
  readonly #numbers = new Map<string, number>();
  readonly values: Value[] = [];

  numberOf(value: Value): number {
    const key = JSON.stringify(value);
    const known = this.#numbers.get(key);
    if (known !== undefined) {
      return known;
    }
    this.#numbers.set(key, this.values.length);
    return this.values.push(value) - 1;
  }
}

interface Dictionaries {
  readonly users: readonly string[];
  readonly lists: readonly (readonly string[])[];
  readonly sources: readonly string[];
}

/** For most contacts, the owner is the creator. */
const owners = { creator: 0, nobody: 1, others: 2 } as const;
const directions = [null, 'inbound', 'outbound'] as const;

/** Packs the fields about people: each user, list of users and source is in a dictionary of the block. */
export function packedPeople(rows: readonly PeopleFields[]): Uint8Array {
  const users = new Dictionary<string>();
  const lists = new Dictionary<readonly string[]>();
  const sources = new Dictionary<string>();
  const columns = [
    rows.map(({ createdBy }) => users.numberOf(createdBy)),
    rows.map(({ createdBy, owner }) => {
      if (owner === null) {
        return owners.nobody;
      }
      return owner === createdBy ? owners.creator : owners.others + users.numberOf(owner);
    }),
    rows.map(({ assignees }) => lists.numberOf(assignees)),
    rows.map(({ conversationAssignees }) => lists.numberOf(conversationAssignees)),
    rows.map(({ source }) => (source === null ? 0 : 1 + sources.numberOf(source))),
    rows.map(
      ({ isBulkImport, lastMessageDirection }) =>
        directions.indexOf(lastMessageDirection) * 2 + Number(isBulkImport),
    ),
  ];
  const dictionaries: Dictionaries = { users: users.values, lists: lists.values, sources: sources.values };
  const writer = new ColumnWriter().text(JSON.stringify(dictionaries));
  for (const column of columns) {
    writer.numbers(column);
  }
  return writer.done();
}

export class PeopleColumns {
  readonly #dictionaries: Dictionaries;
  readonly #columns: readonly Numbers[];

  constructor(packed: Uint8Array) {
    const reader = new ColumnReader(packed);
    this.#dictionaries = JSON.parse(reader.text()) as Dictionaries;
    this.#columns = Array.from({ length: 6 }, () => reader.numbers());
  }

  createdBy(row: number): string {
    return this.#dictionaries.users[this.#at(0, row)] as string;
  }

  owner(row: number): string | null {
    const owner = this.#at(1, row);
    switch (owner) {
      case owners.creator:
        return this.createdBy(row);
      case owners.nobody:
        return null;
      default:
        return this.#dictionaries.users[owner - owners.others] as string;
    }
  }

  assignees(row: number): readonly string[] {
    return this.#dictionaries.lists[this.#at(2, row)] as readonly string[];
  }

  conversationAssignees(row: number): readonly string[] {
    return this.#dictionaries.lists[this.#at(3, row)] as readonly string[];
  }

  source(row: number): string | null {
    const source = this.#at(4, row);
    return source === 0 ? null : (this.#dictionaries.sources[source - 1] as string);
  }

  isBulkImport(row: number): boolean {
    return this.#at(5, row) % 2 === 1;
  }

  lastMessageDirection(row: number): FilteredFields['lastMessageDirection'] {
    return directions[this.#at(5, row) >> 1] as FilteredFields['lastMessageDirection'];
  }

  get bytes(): number {
    const { users, lists, sources } = this.#dictionaries;
    return (
      this.#columns.reduce((sum, { byteLength }) => sum + byteLength, 0) +
      100 * (users.length + lists.length + sources.length)
    );
  }

  #at(column: number, row: number): number {
    return this.#columns[column]?.[row] as number;
  }
}

/** No time, or one of an unusual form; then the times since the creation, counted from 2. */
const cases = { none: 0, odd: 1, times: 2 } as const;

/** Packs times of contacts, such as those of the last messages: each as the time since the creation of the contact. */
export function packedTimes(
  rows: readonly { readonly createdAt: string; readonly at: Timestamp | null }[],
): Uint8Array {
  const odd: [row: number, at: string][] = [];
  const numbers = rows.map(({ createdAt, at }, row) => {
    if (at === null) {
      return cases.none;
    }
    const [from, time] = [toMilliseconds(createdAt), toMilliseconds(at)];
    if (from === undefined || time === undefined) {
      odd.push([row, at]);
      return cases.odd;
    }
    return cases.times + withoutSign(time - from);
  });
  return new ColumnWriter().numbers(numbers).text(JSON.stringify(odd)).done();
}

/** The times; `created` are those of the rows' creation. */
export function unpackedTimes(packed: Uint8Array, created: Float64Array): (Timestamp | null)[] {
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

/** Packs tags: each distinct list of tags once, and for each row the number of its list. */
export function packedTags(rows: readonly { readonly tags: readonly string[] }[]): Uint8Array {
  const lists = new Dictionary<readonly string[]>();
  const numbers = rows.map(({ tags }) => lists.numberOf(tags));
  return new ColumnWriter().text(JSON.stringify(lists.values)).numbers(numbers).done();
}

export class TagColumns {
  readonly #lists: readonly string[][];
  readonly #numbers: Numbers;
  readonly #textLength: number;

  constructor(packed: Uint8Array) {
    const reader = new ColumnReader(packed);
    const text = reader.text();
    this.#textLength = text.length;
    this.#lists = JSON.parse(text) as string[][];
    this.#numbers = reader.numbers();
  }

  tags(row: number): string[] {
    return this.#lists[this.#numbers[row] as number] as string[];
  }

  /** Sets `marks` to 0 for the rows that do not pass the test. Each distinct list is tested once. */
  unmark(test: (tags: readonly string[]) => boolean, marks: Uint8Array): void {
    const passes = Uint8Array.from(this.#lists, (tags) => (test(tags) ? 1 : 0));
    for (let row = 0; row < this.#numbers.length; row += 1) {
      marks[row] = (marks[row] as number) & (passes[this.#numbers[row] as number] as number);
    }
  }

  get bytes(): number {
    return 4 * this.#textLength + this.#numbers.byteLength;
  }
}
