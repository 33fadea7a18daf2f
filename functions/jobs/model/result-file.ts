import { stringify } from 'csv-stringify/sync';
import type { ResultRow } from '../../../shared/jobs/job.ts';
import { OtherResponse } from '../../../shared/kernel/http/other-response.ts';

/** The results as a file for a spreadsheet, which takes none of the cells for a formula. */
export const resultFile = (results: readonly ResultRow[]): OtherResponse =>
  new OtherResponse({
    contentType: 'text/csv',
    headers: { 'content-disposition': 'attachment; filename="results.csv"' },
    body: stringify([...results], {
      ...{ bom: true, header: true, escape_formulas: true, record_delimiter: 'windows' },
      columns: ['row', 'contactId', 'status', 'reason'],
    }),
  });
