import { PeopleColumns, unpackedTimes } from './contact-columns.ts';
import type { FilteredFields, IndexedContact } from './indexed-contact.ts';
import { KeyColumns } from './key-columns.ts';
import { ListColumns } from './list-columns.ts';
import { type Family, families, type PackedBlock } from './packed-block.ts';
import type { BlockQuery, FieldPredicate } from './query.ts';
import { TextColumns } from './text-columns.ts';

/** Contacts of one stage that are neighbours on the board. A family is unpacked when it is first needed. */
export class Block {
  readonly stageId: string;
  readonly #packed = new Map<Family, Uint8Array>();
  readonly #gone: Uint8Array;
  #goneRows = 0;
  readonly keys: KeyColumns;
  #text: TextColumns | undefined;
  #people: PeopleColumns | undefined;
  #times: (string | null)[] | undefined;
  #fields: ListColumns<readonly [key: string, value: unknown]> | undefined;
  #tags: ListColumns<string> | undefined;
  #updates: Float64Array | undefined;

  constructor(stageId: string, keys: Uint8Array) {
    this.stageId = stageId;
    this.keys = new KeyColumns(keys);
    this.#gone = new Uint8Array(this.keys.length);
  }

  /** Adds a family that was read later. */
  add(family: Family, packed: Uint8Array): void {
    this.#packed.set(family, packed);
  }

  /** Adds all families. */
  addAll(packed: PackedBlock): this {
    for (const family of families) {
      this.add(family, packed[family]);
    }
    return this;
  }

  has(family: Family): boolean {
    switch (family) {
      case 'keys':
        return true;
      case 'text':
        return this.#text !== undefined || this.#packed.has(family);
      case 'people':
        return this.#people !== undefined || this.#packed.has(family);
      case 'times':
        return this.#times !== undefined || this.#packed.has(family);
      case 'fields':
        return this.#fields !== undefined || this.#packed.has(family);
      case 'tags':
        return this.#tags !== undefined || this.#packed.has(family);
      case 'updates':
        return this.#updates !== undefined || this.#packed.has(family);
    }
  }

  /** Leaves out a row, because its contact changed or went. */
  leaveOut(row: number): void {
    this.#goneRows += this.#gone[row] === 0 ? 1 : 0;
    this.#gone[row] = 1;
  }

  get hasGone(): boolean {
    return this.#goneRows > 0;
  }

  isGone(row: number): boolean {
    return this.#gone[row] === 1;
  }

  /** Rows that are not left out. */
  get size(): number {
    return this.keys.length - this.#goneRows;
  }

  /** The rows that match, in board order. */
  matching({ created, search, predicates, customFields, tags }: BlockQuery): Uint32Array {
    const { length } = this.keys;
    const { marks, found } = workspace(length);
    const [from, to] = created === undefined ? [0, length] : this.#rowsCreatedIn(created);
    if (search === undefined) {
      marks.fill(1, from, to);
    } else if (!this.#texts().mark(search, marks)) {
      return noRows;
    }
    for (const { key, matches } of customFields) {
      this.#customFields().unmark(([name, value]) => name === key && matches(value), marks);
    }
    for (const isRight of tags) {
      this.#tagColumns().unmark(isRight, marks);
    }
    const test = predicates.length === 0 ? undefined : this.#tester(predicates);
    let count = 0;
    for (let row = from; row < to; row += 1) {
      if (marks[row] === 1 && this.#gone[row] === 0 && (test === undefined || test(row))) {
        found[count] = row;
        count += 1;
      }
    }
    return found.slice(0, count);
  }

  /** How many of these rows, in rising order, have each tag. */
  tagCounts(rows: Uint32Array): (readonly [tag: string, count: number])[] {
    return this.#tagColumns().counts(rows);
  }

  /** All contacts, for packing them again; needs all families. */
  rows(): IndexedContact[] {
    const texts = this.#texts().rows();
    const customFields = this.#customFields().rows();
    const tags = this.#tagColumns().rows();
    const fields = this.#fieldsAt();
    const updates = this.updateTimes();
    return texts.map((text, row) => ({
      ...text,
      stageId: this.stageId,
      createdAt: this.keys.createdAt(row),
      _id: this.keys.id(row),
      customFields: Object.fromEntries(customFields[row] ?? []),
      tags: tags[row] ?? [],
      updatedAt: new Date(updates[row] as number).toISOString(),
      ...fields(row),
    }));
  }

  /** About how much memory it takes. */
  get bytes(): number {
    let bytes = this.keys.bytes + this.#gone.byteLength;
    bytes += (this.#text?.bytes ?? 0) + (this.#people?.bytes ?? 0) + (this.#fields?.bytes ?? 0);
    bytes += (this.#tags?.bytes ?? 0) + (this.#updates?.byteLength ?? 0);
    bytes += 48 * (this.#times?.length ?? 0);
    for (const [, packed] of this.#packed) {
      bytes += packed.byteLength;
    }
    return bytes;
  }

  /** The rows created in this range: the newest stand first. */
  #rowsCreatedIn({ from, to }: NonNullable<BlockQuery['created']>): [number, number] {
    return [
      to === undefined ? 0 : this.#firstRow((createdAt) => createdAt <= to),
      from === undefined ? this.keys.length : this.#firstRow((createdAt) => createdAt < from),
    ];
  }

  /** The first row whose time `isReached`; those after it are, too. */
  #firstRow(isReached: (createdAt: string) => boolean): number {
    let [low, high] = [0, this.keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isReached(this.keys.createdAt(middle))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  #tester(predicates: readonly FieldPredicate[]): (row: number) => boolean {
    const view = new RowView(this.#peopleFields(), this.#lastMessages());
    return (row) => {
      view.row = row;
      return predicates.every((predicate) => predicate(view));
    };
  }

  #fieldsAt(): (row: number) => FilteredFields {
    const view = new RowView(this.#peopleFields(), this.#lastMessages());
    return (row) => {
      view.row = row;
      const { createdBy, owner, assignees, conversationAssignees, source } = view;
      const { isBulkImport, lastMessageAt, lastMessageDirection } = view;
      const people = { createdBy, owner, assignees, conversationAssignees, source };
      return { ...people, isBulkImport, lastMessageAt, lastMessageDirection };
    };
  }

  #texts(): TextColumns {
    this.#text ??= new TextColumns(this.#unpack('text'));
    return this.#text;
  }

  #peopleFields(): PeopleColumns {
    this.#people ??= new PeopleColumns(this.#unpack('people'));
    return this.#people;
  }

  #lastMessages(): (string | null)[] {
    this.#times ??= unpackedTimes(this.#unpack('times'), this.keys.times);
    return this.#times;
  }

  #customFields(): ListColumns<readonly [key: string, value: unknown]> {
    this.#fields ??= new ListColumns(this.#unpack('fields'));
    return this.#fields;
  }

  #tagColumns(): ListColumns<string> {
    this.#tags ??= new ListColumns(this.#unpack('tags'));
    return this.#tags;
  }

  /** When each row's contact last changed, in milliseconds since 1970. */
  updateTimes(): Float64Array {
    this.#updates ??= Float64Array.from(unpackedTimes(this.#unpack('updates'), this.keys.times), (at) =>
      Date.parse(at ?? ''),
    );
    return this.#updates;
  }

  #unpack(family: Family): Uint8Array {
    const packed = this.#packed.get(family);
    if (packed === undefined) {
      throw new Error(`The family "${family}" of a block is used before it is read`);
    }
    this.#packed.delete(family);
    return packed;
  }
}

const noRows = new Uint32Array();

let room = { marks: new Uint8Array(), found: new Uint32Array() };

/** Marks, all of them zero, and room for as many rows: one block after the other uses the same. */
function workspace(length: number): { marks: Uint8Array; found: Uint32Array } {
  if (room.marks.length < length) {
    room = { marks: new Uint8Array(length), found: new Uint32Array(length) };
  }
  room.marks.fill(0);
  return room;
}

/** The fields that filters compare, of the row that is set: one view serves for all rows, so that looking through them makes no objects. */
export class RowView implements FilteredFields {
  readonly #people: PeopleColumns;
  readonly #times: readonly (string | null)[];
  row = 0;

  constructor(people: PeopleColumns, times: readonly (string | null)[]) {
    this.#people = people;
    this.#times = times;
  }

  get createdBy() {
    return this.#people.createdBy(this.row);
  }

  get owner() {
    return this.#people.owner(this.row);
  }

  get assignees() {
    return this.#people.assignees(this.row);
  }

  get conversationAssignees() {
    return this.#people.conversationAssignees(this.row);
  }

  get source() {
    return this.#people.source(this.row);
  }

  get isBulkImport() {
    return this.#people.isBulkImport(this.row);
  }

  get lastMessageAt() {
    return this.#times[this.row] ?? null;
  }

  get lastMessageDirection() {
    return this.#people.lastMessageDirection(this.row);
  }
}
