import * as z from 'zod/mini';
import { ContactFields, Tag } from '../../../shared/contacts/contact-fields.ts';
import { PhoneNumber } from '../../../shared/contacts/phone-number-field.ts';
import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import { parseJson } from '../../../shared/kernel/exact-numbers.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { depthLimit } from '../../../shared/kernel/http/body.ts';
import { parsed } from '../../../shared/kernel/http/invalid.ts';
import { makeStorable } from '../../../shared/kernel/http/storable.ts';
import { sameNumberForm } from '../../../shared/kernel/names/same-numbers.ts';
import { nonEmptyString } from '../../../shared/kernel/schemas/fields.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import { noteLimit } from '../../../shared/notes/note-fields.ts';
import { comparable, IsoMoment, parseMoment } from '../../../shared/organizations/written-times.ts';
import { customFieldName, customKey, type Mapping } from './columns.ts';
import type { Rewriter } from './written-values.ts';

/** How the rows of a file are read. */
export interface RowReading {
  readonly columns: readonly string[];
  readonly mapping: Mapping;
  /** The word that clears a field; undefined if none does. */
  readonly clearWith: string | undefined;
  readonly toIsoDate: Rewriter;
  /** The time zone of dates and of times without an offset. */
  readonly zone: string;
  /** The custom fields whose values are dates or times. */
  readonly dateKeys: ReadonlySet<string>;
  readonly toPlainNumber: Rewriter;
  /** The custom fields whose values are numbers. */
  readonly numberKeys: ReadonlySet<string>;
  /** The ids of users by their ids and email addresses. */
  readonly userIds: ReadonlyMap<string, string>;
}

/** Lists that a row may empty: otherwise what it says is added to them. */
export type ClearedList = 'phoneNumbers' | 'tags';

/** A row, as fields of a contact. */
export interface ReadRow {
  /** Custom fields are texts, unless the column is one of an export; null removes one. */
  readonly fields: ContactFields;
  readonly cleared: readonly ClearedList[];
  readonly stage: string | undefined;
  readonly createdAt: Timestamp | undefined;
  readonly note: string | undefined;
}

/** A cell that says something, without the apostrophe that exports put in front of some. */
interface Cell {
  readonly column: string;
  readonly field: string;
  /** Null for one that clears its field. */
  readonly text: string | null;
}

/**
 * Reads a row. An empty cell says nothing.
 * @throws a 400 `Failure` that names the column of what is wrong, and never what its cell says.
 */
export function readRow(reading: RowReading, cells: readonly string[]): ReadRow {
  const said = cellsSaid(reading, cells);
  const one = (field: string) => said.find((cell) => cell.field === field);
  const phones = phoneNumbersIn(said, reading);
  const tags = one('tags');
  const customFields = said.flatMap((cell) => customFieldIn(cell, reading));
  const owner = one('owner');
  const fields = {
    ...namesIn(one),
    ...checkedTexts(said),
    ...(phones.length > 0 && { phoneNumbers: phones }),
    ...(typeof tags?.text === 'string' && { tags: tagsIn(tags.text, tags.column) }),
    ...(owner && { owner: owner.text === null ? null : ownerIn(owner.text, owner.column, reading) }),
    ...(customFields.length > 0 && { customFields: Object.fromEntries(customFields) }),
  };
  const clears = (field: string) => said.some((cell) => cell.field === field && cell.text === null);
  return {
    fields: parsed(ContactFields, fields, 'The row'),
    cleared: [
      ...(clears('phone') ? ['phoneNumbers' as const] : []),
      ...(clears('tags') ? ['tags' as const] : []),
    ],
    stage: one('stage')?.text?.trim() ?? undefined,
    createdAt: momentIn(one('createdAt'), reading),
    note: noteIn(one('note')),
  };
}

function cellsSaid({ columns, mapping, clearWith }: RowReading, cells: readonly string[]): Cell[] {
  if (cells.slice(columns.length).some((cell) => cell.trim() !== '')) {
    throw new Failure(
      'INVALID',
      `The row has ${cells.length} cells, but the header names ${columns.length} columns. Put a cell with the separator in it between quotation marks.`,
    );
  }
  return columns.flatMap((column, index) => {
    const field = mapping[column];
    const cell = cells[index] ?? '';
    if (field == null || cell.trim() === '') {
      return [];
    }
    const text = cell.replace(/^'/, '');
    return [{ column, field, text: clearWith !== undefined && cell.trim() === clearWith ? null : text }];
  });
}

const about = (column: string) => `Column "${column}"`;

/** The text fields that a column gives as they are. */
const textFields = ['firstName', 'lastName', 'email', 'source', 'externalId'] as const;

function checkedTexts(said: readonly Cell[]) {
  return Object.fromEntries(
    textFields.flatMap((field) => {
      const cell = said.find((one) => one.field === field);
      const none = field === 'firstName' || field === 'lastName' ? '' : null;
      return cell === undefined
        ? []
        : [[field, parsed(ContactFields.shape[field], cell.text ?? none, about(cell.column))]];
    }),
  );
}

/** First and last name of a full one, which cells of their own replace: `Ada King Lovelace`, or `Lovelace, Ada King`. */
function namesIn(one: (field: string) => Cell | undefined) {
  const full = one('fullName');
  if (full === undefined) {
    return {};
  }
  const text = (full.text ?? '').trim();
  const [last = '', first] = text.split(/\s*,\s*/, 2);
  const at = text.search(/\s+\S+$/);
  const names =
    first !== undefined
      ? { firstName: first, lastName: last }
      : at === -1
        ? { firstName: text, lastName: '' }
        : { firstName: text.slice(0, at), lastName: text.slice(at).trim() };
  return parsed(z.pick(ContactFields, { firstName: true, lastName: true }), names, about(full.column));
}

/** The numbers of a row, each once, with the labels of the columns behind them. */
function phoneNumbersIn(said: readonly Cell[], { columns, mapping }: RowReading) {
  const numbers = new Map<string, { value: string; label?: string }>();
  for (const { column, field, text } of said) {
    if (field === 'phone' && text !== null) {
      const value = text.trim();
      const form = sameNumberForm(parsed(PhoneNumber, value, about(column)));
      const next = columns[columns.indexOf(column) + 1];
      const label = next !== undefined && mapping[next] === 'phoneLabel' ? labelIn(said, next) : undefined;
      numbers.set(form, numbers.get(form) ?? { value, ...definedOnly({ label }) });
    }
  }
  return [...numbers.values()];
}

const labelIn = (said: readonly Cell[], column: string) =>
  said.find((cell) => cell.column === column)?.text ?? undefined;

/** Tags between `|`, of which one that belongs to a tag has a backslash before it, as a backslash has. */
function tagsIn(text: string, column: string): string[] {
  return (text.match(/(?:\\[\\|]|[^|])+/g) ?? [])
    .map((tag) => tag.replaceAll(/\\([\\|])/g, '$1'))
    .filter((tag) => tag.trim() !== '')
    .map((tag) => parsed(Tag, tag, about(column)));
}

/** @throws a 400 `Failure` for a user that the organization does not have. */
function ownerIn(text: string, column: string, { userIds }: RowReading): string {
  const name = text.trim();
  const id = userIds.get(name) ?? userIds.get(name.toLowerCase());
  if (id === undefined) {
    throw new Failure(
      'INVALID',
      `${about(column)} must be the email address or id of a user of this organization`,
    );
  }
  return id;
}

function momentIn(cell: Cell | undefined, { toIsoDate, zone }: RowReading): Timestamp | undefined {
  return typeof cell?.text === 'string'
    ? comparable(parseMoment(parsed(IsoMoment, toIsoDate(cell.text), about(cell.column)), zone))
    : undefined;
}

const Note = nonEmptyString(noteLimit);

const noteIn = (cell: Cell | undefined): string | undefined =>
  typeof cell?.text === 'string' ? parsed(Note, cell.text, about(cell.column)) : undefined;

/** The custom field of a cell, if it has one. */
function customFieldIn(
  { column, field, text }: Cell,
  { toIsoDate, dateKeys, toPlainNumber, numberKeys }: RowReading,
): [key: string, value: unknown][] {
  const key = customKey(field);
  if (key === undefined) {
    return [];
  }
  const isExported = column === customFieldName(key);
  const value = text === null ? null : isExported ? valueOfText(text) : text;
  const rewrite = dateKeys.has(key) ? toIsoDate : numberKeys.has(key) ? toPlainNumber : undefined;
  return [[key, typeof value === 'string' && rewrite !== undefined ? rewrite(value) : value]];
}

/** What an export wrote for a value of a custom field: a text as it is, unless it looks like JSON, and anything else as JSON. */
function valueOfText(text: string): unknown {
  const cell: { value: unknown } = { value: text };
  try {
    cell.value = parseJson(text);
  } catch {
    return text;
  }
  makeStorable(cell, depthLimit);
  return cell.value;
}
