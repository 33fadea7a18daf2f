import * as z from 'zod/mini';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { nonEmptyString } from '../../shared/kernel/schemas/fields.ts';
import { proposedMapping } from './model/columns.ts';
import { readLayout } from './model/csv-file.ts';
import { decodeFile } from './model/decode-file.ts';
import { ImportPreview } from './model/preview-response.ts';

/** Bytes that the key of an upload may have. */
const longestKey = 1_024;

/** Rows of a preview, and the UTF-16 code units that it shows of a cell. */
const sample = { rows: 3, cell: 500 };

export default operation({
  route: 'POST /api/contacts/imports',
  summary: 'Preview a file of contacts',
  description:
    'Upload a CSV file by `POST /api/upload` and send its `key` here: the response shows the first rows, and which field each column seems to be. The file may have 25 MB and 100,000 rows, in UTF-8 or UTF-16; other bytes are read as Windows-1252. [Imports and exports](#/Imports%20and%20exports) says how cells are read.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  body: z.object({ key: nonEmptyString(longestKey) }),
  descriptions: { key: 'The key of a file that was uploaded within a day.' },
  output: dataResponse(ImportPreview),
  failures: ['NOT_FOUND'],
  example: { body: { key: 'org/01KF0EY6SKVRTJ88B872195D27/01KF0FTXSNY6569FNF96QJWEWW/contacts.csv' } },
  uses: { objects: 'importFiles' },
  async run({ body }, { objects }) {
    const bytes = await objects.readUpload(body.key);
    if (bytes === undefined) {
      throw new Failure('NOT_FOUND', 'key is not the key of a file uploaded in this organization');
    }
    const file = decodeFile(bytes);
    const { columns, rows, separator, total } = readLayout(file, sample.rows);
    return ok({
      data: {
        columns: [...columns],
        rows: rows.map(({ cells }) => cells.map((cell) => cell.slice(0, sample.cell).toWellFormed())),
        mapping: proposedMapping(columns, []),
        encoding: file.encoding,
        separator,
        total,
      },
    });
  },
});
