import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { nameLimit, nonEmptyString } from '../kernel/schemas/fields.ts';
import { isRefusedName, isRefusedType } from './refused-files.ts';

/** Bytes that a file may have. Source: decisions 9. */
export const largestFile = 25 * 1024 * 1024;

const refused = 'must not be that of a program, a script, HTML or SVG';

/** A file name as its user sees it. */
export const FileName = nonEmptyString(nameLimit).check(
  z.refine((name) => !/\p{Cc}/u.test(name), 'must not have control characters'),
  z.refine((name) => !isRefusedName(name), refused),
);

/** A type, a subtype, and parameters without quotes. Source: RFC 9110, 8.3.1; RFC 6838, 4.2. */
const contentType = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}( *; *[\w!#$&^.+-]+=[\w!#$&^.+,-]+){0,5}$/;

const FileType = z.string().check(
  z.maxLength(1_000),
  z.refine(
    (type) => contentType.test(type),
    'must be a content type, such as image/png; application/octet-stream for a file of unknown type',
  ),
  z.refine((type) => !isRefusedType(type), refused),
);

/** A client's statement about a file before it uploads it. */
export const UploadFields = described(
  z.object({
    name: FileName,
    type: FileType,
    size: z
      .int()
      .check(
        z.minimum(1, 'must be at least 1 byte'),
        z.maximum(largestFile, `must be at most ${largestFile} bytes (25 MB)`),
      ),
  }),
  {
    name: 'The name of the file.',
    type: 'Its content type, like `image/png`.',
    size: 'Its size in bytes.',
  },
);
