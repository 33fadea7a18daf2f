import * as z from 'zod/mini';
import { BoardQuery, boardDescriptions } from '../../shared/board/board-query.ts';
import { loadCustomFieldTests } from '../../shared/board/custom-filters.ts';
import { findSegment, type SegmentFilter } from '../../shared/board/segment.ts';
import { logAction } from '../../shared/events/log-entry.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import { JobResponse, toJobResponse } from '../../shared/jobs/job-response.ts';
import { newJob } from '../../shared/jobs/new-job.ts';
import { reaches } from '../../shared/kernel/caller.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id } from '../../shared/kernel/schemas/fields.ts';
import { readUsers } from '../../shared/organizations/visibility.ts';
import { exportedFields, usualFields } from './model/export-cells.ts';
import { exportFormats } from './model/export-file.ts';
import type { ExportInput } from './model/export-job.ts';
import { readExportRight } from './model/export-right.ts';

const { page: _, size: __, pipelineType: ___, ...filterDescriptions } = boardDescriptions;

const Filter = described(
  z.omit(BoardQuery, { page: true, size: true, pipelineType: true }),
  filterDescriptions,
);

export default operation({
  route: 'POST /api/contacts/exports',
  summary: 'Export contacts to a file',
  description:
    'A job (202) writes the contacts of a filter or a segment that you see into a file; when it is done, `result.url` downloads it for an hour. An export is in the log, and the administrators get `contacts_exported`. A DEPARTMENT_HEAD or higher may export; a SALES_REP only where the organization allows it (`repsMayExport`). [Imports and exports](#/Imports%20and%20exports) says how cells are written; an import with the proposed mapping reads them as they were.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  status: 202,
  body: z
    .object({
      filter: z.optional(Filter),
      segmentId: z.optional(Id),
      fields: z.optional(
        z.array(z.enum(exportedFields)).check(z.minLength(1), z.maxLength(exportedFields.length)),
      ),
      format: z.enum(exportFormats),
    })
    .check(
      z.refine(({ filter, segmentId }) => (filter === undefined) !== (segmentId === undefined), {
        path: ['filter'],
        error: 'or segmentId is required, and not both',
      }),
    ),
  descriptions: {
    filter:
      'As the body of `POST /api/contacts`, without pages; of all Contact pipelines unless `pipelineId` names one. `{}` exports all that you see.',
    segmentId: 'A segment, in place of a filter.',
    fields: 'What to write of each contact, in this order. By default, all that an import reads.',
    format: '`csv` for spreadsheets, or `json`: an array of contacts as the API shows them.',
  },
  output: dataResponse(JobResponse),
  failures: ['FORBIDDEN', 'NOT_FOUND'],
  example: { body: { filter: { search: 'ada' }, format: 'csv' } },
  uses: { table: 'write', platform: 'write' },
  async run({ body }, { table, platform, caller, now, newId }) {
    const { segmentId, format, fields = usualFields } = body;
    const [isAllowed, users, segment] = await Promise.all([
      readExportRight(table, caller.role),
      readUsers(table),
      segmentId === undefined ? undefined : findSegment(table, caller, segmentId),
    ]);
    if (!isAllowed) {
      throw new Failure(
        'FORBIDDEN',
        'Only a DEPARTMENT_HEAD or higher may export contacts. Ask an ADMIN to allow it to everybody.',
      );
    }
    const filter = (segment?.data.filter ?? body.filter ?? {}) as SegmentFilter;
    await loadCustomFieldTests(filter.customFilters);
    const input: ExportInput = { filter, fields: [...new Set(fields)], format };
    const { job, actions } = newJob(
      { table, platform },
      caller,
      { type: 'export', dryRun: false, input },
      { now, newId },
    );
    const admins = users.filter(({ accessRole, disabled }) => reaches(accessRole, 'ADMIN') && !disabled);
    const started = { event: 'export_started', entity: { type: 'job', id: job._id } } as const;
    await table.commit([
      ...actions,
      logAction(table, started, newId(), now),
      eventAction(
        table,
        {
          event: 'contacts_exported',
          data: { jobId: job._id, format },
          audience: { kind: 'users', userIds: admins.map(({ _id }) => _id) },
        },
        newId(),
        now,
      ),
    ]);
    return ok({ data: toJobResponse(job) });
  },
});
