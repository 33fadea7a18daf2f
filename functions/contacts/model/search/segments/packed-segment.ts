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

/** Packs contacts of one stage, in board order. */
export function packedSegment(rows: readonly IndexedContact[]): PackedSegment {
  return {
    keys: packedKeys(rows),
    text: packedTexts(rows),
    people: packedPeople(rows),
    times: packedTimes(rows),
    fields: packedCustomFields(rows.map(({ customFields }) => customFields)),
  };
}
