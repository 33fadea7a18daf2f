import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyString } from '../../../shared/kernel/schemas/fields.ts';
import { separators } from './csv-file.ts';
import { encodings } from './decode-file.ts';

/** The first rows of a file, and what an import would make of it. Source: contacts at work, 3. */
export const ImportPreview = described(
  z.object({
    columns: z.array(anyString),
    rows: z.array(z.array(anyString)),
    mapping: z.record(anyString, z.nullable(anyString)),
    encoding: z.enum(encodings),
    separator: z.enum(separators),
    total: z.int(),
  }),
  {
    columns:
      'The names in the first line. One without a name is `Column` and its number; one that came before has a number behind it.',
    rows: 'The cells of the first three rows, in the order of the columns; each cell cut at 500 characters.',
    mapping: 'The field that each column seems to be; null for one that would be left out.',
    encoding:
      'How the bytes were read. Check texts with accents if it is `Windows-1252`, which fits any bytes.',
    separator: 'What stands between cells: a comma, a semicolon or a tab.',
    total: 'The rows below the header, without empty ones.',
  },
  { id: 'ImportPreview', description: 'What a file to be imported looks like.' },
);
