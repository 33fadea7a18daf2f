import * as z from 'zod/mini';
import { anyText, codePoints, nameLimit } from '../kernel/fields.ts';

const limits = { keys: 50, bytes: 16 * 1024 };

/** Custom fields of a contact or an application: any JSON by name. Source: decisions 1, "Input caps". */
export const CustomFields = z.record(anyText, z.unknown()).check(
  z.refine((fields) => Object.keys(fields).length <= limits.keys, 'must have at most 50 keys'),
  z.refine(
    (fields) => Object.keys(fields).every((key) => codePoints(key) <= nameLimit),
    'must have keys of at most 200 characters',
  ),
  z.refine((fields) => Buffer.byteLength(JSON.stringify(fields)) <= limits.bytes, 'must be at most 16 KB'),
);
