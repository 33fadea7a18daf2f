import type { CustomFieldTest } from '../../custom-filters.ts';
import type { FieldPredicate, FilteredFields, TextSearch } from '../../filters.ts';
import type { TimeRange } from '../../time-range.ts';
import type { IndexedContact } from '../indexed-contact.ts';
import { CustomFieldColumns } from './custom-field-columns.ts';
import { KeyColumns } from './key-columns.ts';
import { type Group, groups, type PackedSegment } from './packed-segment.ts';
import { PeopleColumns } from './people-columns.ts';
import { RowView } from './row-view.ts';
import { TextColumns } from './text-columns.ts';
import { lastMessageTimes } from './time-columns.ts';

/** What a query asks of a segment. */
export interface SegmentQuery {
  readonly created: TimeRange | undefined;
  readonly search: TextSearch | undefined;
  readonly predicates: readonly FieldPredicate[];
  readonly customFields: readonly CustomFieldTest[];
}

/** The groups that a query needs. */
export function groupsFor({ search, predicates, customFields }: SegmentQuery): Group[] {
  return [
    'keys',
    ...(search === undefined ? [] : (['text'] as const)),
    ...(predicates.length === 0 ? [] : (['people', 'times'] as const)),
    ...(customFields.length === 0 ? [] : (['fields'] as const)),
  ];
}

/** Contacts of one stage that are neighbours on the board. A group is unpacked when it is first needed. */
export class Segment {
  readonly stageId: string;
  readonly #packed = new Map<Group, Uint8Array>();
  readonly #gone: Uint8Array;
  #goneRows = 0;
  readonly keys: KeyColumns;
  #text: TextColumns | undefined;
  #people: PeopleColumns | undefined;
  #times: (string | null)[] | undefined;
  #fields: CustomFieldColumns | undefined;

  constructor(stageId: string, keys: Uint8Array) {
    this.stageId = stageId;
    this.keys = new KeyColumns(keys);
    this.#gone = new Uint8Array(this.keys.length);
  }

  /** Adds a group that was read later. */
  add(group: Group, packed: Uint8Array): void {
    this.#packed.set(group, packed);
  }

  /** Adds all groups. */
  addAll(packed: PackedSegment): this {
    for (const group of groups) {
      this.add(group, packed[group]);
    }
    return this;
  }

  has(group: Group): boolean {
    switch (group) {
      case 'keys':
        return true;
      case 'text':
        return this.#text !== undefined || this.#packed.has(group);
      case 'people':
        return this.#people !== undefined || this.#packed.has(group);
      case 'times':
        return this.#times !== undefined || this.#packed.has(group);
      case 'fields':
        return this.#fields !== undefined || this.#packed.has(group);
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
  matching({ created, search, predicates, customFields }: SegmentQuery): Uint32Array {
    const { length } = this.keys;
    const { marks, found } = workspace(length);
    const [from, to] = created === undefined ? [0, length] : this.#rowsCreatedIn(created);
    if (search === undefined) {
      marks.fill(1, from, to);
    } else if (!this.#texts().mark(search, marks)) {
      return noRows;
    }
    if (customFields.length > 0) {
      this.#customFields().unmark(customFields, marks);
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

  /** All contacts, for packing them again; needs all groups. */
  rows(): IndexedContact[] {
    const texts = this.#texts().rows();
    const customFields = this.#customFields().rows();
    const fields = this.#fieldsAt();
    return texts.map((text, row) => ({
      ...text,
      stageId: this.stageId,
      createdAt: this.keys.createdAt(row),
      _id: this.keys.id(row),
      customFields: customFields[row] ?? {},
      ...fields(row),
    }));
  }

  /** About how much memory it takes. */
  get bytes(): number {
    let bytes = this.keys.bytes + this.#gone.byteLength;
    bytes += (this.#text?.bytes ?? 0) + (this.#people?.bytes ?? 0) + (this.#fields?.bytes ?? 0);
    bytes += 48 * (this.#times?.length ?? 0);
    for (const [, packed] of this.#packed) {
      bytes += packed.byteLength;
    }
    return bytes;
  }

  /** The rows created in this range: the newest stand first. */
  #rowsCreatedIn({ from, to }: TimeRange): [number, number] {
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
    this.#times ??= lastMessageTimes(this.#unpack('times'), this.keys.times);
    return this.#times;
  }

  #customFields(): CustomFieldColumns {
    this.#fields ??= new CustomFieldColumns(this.#unpack('fields'));
    return this.#fields;
  }

  #unpack(group: Group): Uint8Array {
    const packed = this.#packed.get(group);
    if (packed === undefined) {
      throw new Error(`The group "${group}" of a segment is used before it is read`);
    }
    this.#packed.delete(group);
    return packed;
  }
}

const noRows = new Uint32Array();

let room = { marks: new Uint8Array(), found: new Uint32Array() };

/** Marks, all of them zero, and room for as many rows: one segment after the other uses the same. */
function workspace(length: number): { marks: Uint8Array; found: Uint32Array } {
  if (room.marks.length < length) {
    room = { marks: new Uint8Array(length), found: new Uint32Array(length) };
  }
  room.marks.fill(0);
  return room;
}
