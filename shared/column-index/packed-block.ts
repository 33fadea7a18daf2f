import { isDeepStrictEqual } from 'node:util';
import { packedCustomFields, packedPeople, packedTimes } from './contact-columns.ts';
import type { IndexedContact } from './indexed-contact.ts';
import { packedKeys } from './key-columns.ts';
import { packedTexts } from './text-columns.ts';

/** The families of columns of a block. A query reads only the families that it needs. */
export const families = ['keys', 'text', 'people', 'times', 'fields'] as const;
export type Family = (typeof families)[number];

export type PackedBlock = Readonly<Record<Family, Uint8Array>>;

/** A block with its contacts. */
export interface UnpackedBlock {
  readonly packed: PackedBlock;
  readonly rows: readonly IndexedContact[];
}

type Pack = (rows: readonly IndexedContact[]) => Uint8Array;

const packs: Readonly<Record<Family, Pack>> = {
  keys: packedKeys,
  text: packedTexts,
  people: packedPeople,
  times: packedTimes,
  fields: (rows) => packedCustomFields(rows.map(({ customFields }) => customFields)),
};

/** The columns of each family. Times of last messages are counted from the contacts' own. */
const fieldsOf: Readonly<Record<Family, readonly (keyof IndexedContact)[]>> = {
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
export function packedBlock(rows: readonly IndexedContact[]): PackedBlock {
  return packedFamilies((family) => packs[family](rows));
}

/** The same for contacts that take the place of others: packs only the families in which something changed. */
export function repackedBlock(rows: readonly IndexedContact[], former: UnpackedBlock): PackedBlock {
  return packedFamilies((family) =>
    areSame(rows, former.rows, fieldsOf[family]) ? former.packed[family] : packs[family](rows),
  );
}

const packedFamilies = (pack: (family: Family) => Uint8Array) =>
  Object.fromEntries(families.map((family) => [family, pack(family)])) as PackedBlock;

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
