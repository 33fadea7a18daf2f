import type { Timestamp } from '../kernel/time.ts';
import type { Key } from '../table/key.ts';
import type { Stored, TableReader } from '../table/table.ts';

export const fieldTypes = [
  'text',
  'number',
  'boolean',
  'date',
  'dateTime',
  'oneOf',
  'anyOf',
  'url',
  'user',
] as const;
export type FieldType = (typeof fieldTypes)[number];

export const fieldOwners = ['contact', 'application'] as const;
/** The records that a definition is about. */
export type FieldOwner = (typeof fieldOwners)[number];

/** Says what the values of a custom field are. Source: contacts-at-work 2. */
export interface FieldDefinition {
  _id: string;
  /** The name of the field in `customFields`; unique among the definitions for the same records. */
  key: string;
  label: string;
  type: FieldType;
  /** The values of `oneOf` and `anyOf`; empty for other types. */
  options: string[];
  required: boolean;
  appliesTo: FieldOwner;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** All definitions of an organization, oldest first. */
export interface FieldDefinitions {
  definitions: FieldDefinition[];
}

/** Definitions of an organization, and their bytes as JSON: they are one record, read with writes of custom fields. */
export const definitionLimits = { count: 100, bytes: 64 * 1024 };

/** What a lead's value is kept under if it does not fit a field. */
export const rawSuffix = '__raw';

export const fieldDefinitionsKey = (): Key<FieldDefinitions> => ({ partition: [], sort: ['CUSTOM_FIELDS'] });

/** The definitions of the organization; of version 0 if there have never been any. Strongly consistent unless stated. */
export async function readFieldDefinitions(
  table: TableReader,
  options?: { readonly consistent: boolean },
): Promise<Stored<FieldDefinitions>> {
  const key = fieldDefinitionsKey();
  return (await table.read(key, options)) ?? { key, data: { definitions: [] }, version: 0 };
}
