import * as z from 'zod/mini';
import { readFieldDefinitions } from '../../shared/contacts/field-definition.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { requestedStage } from '../../shared/contacts/stages.ts';
import { JobResponse, toJobResponse } from '../../shared/jobs/job-response.ts';
import { newJob } from '../../shared/jobs/new-job.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { after, day } from '../../shared/kernel/time.ts';
import { announceObjects } from '../../shared/notes/owned-objects.ts';
import { requiredUserActions } from '../../shared/organizations/required-users.ts';
import { proposedMapping } from './model/columns.ts';
import { readLayout } from './model/csv-file.ts';
import { decodeFile } from './model/decode-file.ts';
import { checkedMapping, ImportFields, importDescriptions } from './model/import-fields.ts';
import type { ImportInput } from './model/import-row.ts';
import { importFileName, importObjectsKey } from './model/import-rows.ts';
import { ImportPreview } from './model/preview-response.ts';

/** Rows of a preview, and the UTF-16 code units that it shows of a cell. */
const sample = { rows: 3, cell: 500 };

/** How long the file of an import is kept: as long as the upload that it was. */
const fileKeptFor = day;

export default operation({
  route: 'POST /api/contacts/imports',
  summary: 'Import a file of contacts',
  description: [
    'Upload a CSV file by `POST /api/upload` and send its `key` here. Without `mapping`, the response (200) is a preview, which proposes one. With it, a job (202) creates and updates contacts row by row, with your rights: follow it with `GET /api/jobs/{id}`. It survives crashes, and imports every row once.',
    'Its results name each row by its line in the file and what is wrong by its column. `result.withoutKey` counts contacts that were created from rows without anything to find them again. [Imports and exports](#/Imports%20and%20exports) says how cells are read.',
  ].join('\n\n'),
  family: 'contacts',
  minimumRole: 'SALES_REP',
  status: 202,
  createsNothing: { when: ({ data }) => 'columns' in data },
  body: ImportFields,
  descriptions: importDescriptions,
  output: dataResponse(z.union([ImportPreview, JobResponse])),
  failures: ['NOT_FOUND'],
  example: { body: { key: 'org/01KF0EY6SKVRTJ88B872195D27/01KF0FTXSNY6569FNF96QJWEWW/contacts.csv' } },
  uses: { table: 'write', platform: 'write', objects: 'importFiles' },
  async run({ body }, { table, platform, objects, caller, now, newId }) {
    const { key, mapping, dryRun = false, ...rules } = body;
    const [bytes, { data }, fields] = await Promise.all([
      objects.readUpload(key),
      readPipelines(table),
      readFieldDefinitions(table, { consistent: false }),
    ]);
    if (bytes === undefined) {
      throw new Failure('NOT_FOUND', 'key is not the key of a file uploaded in this organization');
    }
    const file = decodeFile(bytes);
    const { rows, ...layout } = readLayout(file, mapping === undefined ? sample.rows : 0);
    if (mapping === undefined) {
      const { columns, separator, total } = layout;
      return ok({
        data: {
          columns: [...columns],
          rows: rows.map(({ cells }) => cells.map((cell) => cell.slice(0, sample.cell).toWellFormed())),
          mapping: proposedMapping(
            columns,
            fields.data.definitions.filter(({ appliesTo }) => appliesTo === 'contact'),
          ),
          encoding: file.encoding,
          separator,
          total,
        },
      });
    }
    const input: ImportInput = { ...rules, layout, mapping: checkedMapping(mapping, layout.columns) };
    requestedStage(data.pipelines, 'Contact', rules);
    const { job, actions } = newJob(
      { table, platform },
      caller,
      { type: 'import', dryRun, startsNoRuns: rules.startWorkflows !== true, input },
      { now, newId },
    );
    const stored = [{ area: 'documents', key: importFileName(job._id) } as const];
    const objectsKey = importObjectsKey(job._id);
    await announceObjects(table, objectsKey, stored, now);
    await objects.put(importFileName(job._id), file.bytes);
    await table.commit([
      ...actions,
      table.put(objectsKey, { objects: stored }, { expiresAt: after(now, fileKeptFor) }),
      ...requiredUserActions(table, new Map(rules.owner ? [[rules.owner, 'owner']] : [])),
    ]);
    return ok({ data: toJobResponse(job) });
  },
});
