import { isDeepStrictEqual } from 'node:util';
import type { IndexedContact } from '../indexed-contact.ts';
import { packedCustomFields } from './custom-field-columns.ts';
import { packedKeys } from './key-columns.ts';
import { packedPeople } from './people-columns.ts';
import { packedTexts } from './text-columns.ts';
import { packedTimes } from './time-columns.ts';

/** The groups of columns of a segment. A query reads only those that it needs. */
export const groups = ['keys', 'text', 'people', 'times', 'fields'] as const;
export type Group = (typeof groups)[number];

export type PackedSegment = Readonly<Record<Group, Uint8Array>>;

/** A segment with its contacts. */
export interface UnpackedSegment {
  readonly packed: PackedSegment;
  readonly rows: readonly IndexedContact[];
}

type Pack = (rows: readonly IndexedContact[]) => Uint8Array;

const packs: Readonly<Record<Group, Pack>> = {
  keys: packedKeys,
  text: packedTexts,
  people: packedPeople,
  times: packedTimes,
  fields: (rows) => packedCustomFields(rows.map(({ customFields }) => customFields)),
};

/** What each group holds. Times of last messages are counted from the contacts' own. */
const fieldsOf: Readonly<Record<Group, readonly (keyof IndexedContact)[]>> = {
  keys: ['createdAt', '_id'],
  text: ['name', 'phones'],
  people: [
    ...(['createdBy', 'owner', 'assignees', 'conversationAssignees'] as const),
    ...(['source', 'isBulkImport', 'lastMessageDirection'] as const),
  ],
  times: ['createdAt', 'lastMessageAt'],
  fields: ['customFields'],
};

/** Packs contacts of one stage, in board order. */
export function packedSegment(rows: readonly IndexedContact[]): PackedSegment {
  return packedGroups((group) => packs[group](rows));
}

/** The same for contacts that take the place of others: packs only the groups in which something changed. */
export function repackedSegment(rows: readonly IndexedContact[], former: UnpackedSegment): PackedSegment {
  return packedGroups((group) =>
    areSame(rows, former.rows, fieldsOf[group]) ? former.packed[group] : packs[group](rows),
  );
}

const packedGroups = (pack: (group: Group) => Uint8Array) =>
  Object.fromEntries(groups.map((group) => [group, pack(group)])) as PackedSegment;

/** Whether contacts have the same values in these fields. Most are the same objects. */
function areSame(
  rows: readonly IndexedContact[],
  others: readonly IndexedContact[],
  fields: readonly (keyof IndexedContact)[],
): boolean {
  return (
    rows.length === others.length &&
    rows.every((row, index) => {
      const other = others[index];
      return row === other || fields.every((field) => isDeepStrictEqual(row[field], other?.[field]));
    })
  );
}
