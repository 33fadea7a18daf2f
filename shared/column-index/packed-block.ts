import { packedPeople, packedTimes } from './contact-columns.ts';
import type { IndexedContact } from './indexed-contact.ts';
import { packedKeys } from './key-columns.ts';
import { packedCustomFields, packedTags } from './list-columns.ts';
import { packedTexts } from './text-columns.ts';

/** The families of columns of a block. A query reads only the families that it needs. */
export const families = ['keys', 'text', 'people', 'times', 'fields', 'tags', 'updates'] as const;
export type Family = (typeof families)[number];

export type PackedBlock = Readonly<Record<Family, Uint8Array>>;

type Pack = (rows: readonly IndexedContact[]) => Uint8Array;

const packs: Readonly<Record<Family, Pack>> = {
  keys: packedKeys,
  text: packedTexts,
  people: packedPeople,
  times: (rows) =>
    packedTimes(rows.map(({ createdAt, lastMessageAt }) => ({ createdAt, at: lastMessageAt }))),
  fields: (rows) => packedCustomFields(rows.map(({ customFields }) => customFields)),
  tags: (rows) => packedTags(rows.map(({ tags }) => tags)),
  updates: (rows) => packedTimes(rows.map(({ createdAt, updatedAt }) => ({ createdAt, at: updatedAt }))),
};

/** Packs contacts of one stage, in board order. */
export function packedBlock(rows: readonly IndexedContact[]): PackedBlock {
  return Object.fromEntries(families.map((family) => [family, packs[family](rows)])) as PackedBlock;
}
