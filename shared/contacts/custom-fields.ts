import * as z from 'zod/mini';
import { codePoints } from '../kernel/code-points.ts';
import { anyString, nameLimit } from '../kernel/schemas/fields.ts';

/** Source: decisions 1, "Input caps". */
export const customFieldLimits = { keys: 50, bytes: 16 * 1024 };

/** Custom fields of a contact or an application: any JSON by name. */
export const CustomFields = z.record(anyString, z.unknown()).check(
  z.refine((fields) => Object.keys(fields).length <= customFieldLimits.keys, 'must have at most 50 keys'),
  z.refine((fields) => Object.keys(fields).every(isFieldName), 'must have keys of at most 200 characters'),
  z.refine(
    (fields) => Buffer.byteLength(JSON.stringify(fields)) <= customFieldLimits.bytes,
    'must be at most 16 KB',
  ),
);

/** Whether a custom field may have this name. */
export function isFieldName(key: string): boolean {
  return codePoints(key) <= nameLimit;
}

/** Bytes that a field takes in JSON, with its colon and a comma or brace. */
export function entryBytes(key: string, value: unknown): number {
  return Buffer.byteLength(JSON.stringify(key)) + Buffer.byteLength(JSON.stringify(value)) + 2;
}
