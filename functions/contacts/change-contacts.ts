import * as z from 'zod/mini';
import { BoardQuery, boardDescriptions } from '../../shared/board/board-query.ts';
import { loadCustomFieldTests } from '../../shared/board/custom-filters.ts';
import { findSegment, type SegmentFilter } from '../../shared/board/segment.ts';
import { assignableActions } from '../../shared/contact-aggregate/assignable.ts';
import { type Pipeline, readPipelines } from '../../shared/contacts/pipeline.ts';
import { stageById } from '../../shared/contacts/stages.ts';
import { JobResponse, toJobResponse } from '../../shared/jobs/job-response.ts';
import { newJob } from '../../shared/jobs/new-job.ts';
import { reaches } from '../../shared/kernel/caller.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { readPolicy } from '../../shared/kernel/limit-policy.ts';
import { named } from '../../shared/kernel/names/same-names.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyBoolean, Id } from '../../shared/kernel/schemas/fields.ts';
import { BulkChange, type BulkInput, bulkActions, deletingRole } from './model/bulk-change.ts';
import { countTargets } from './model/bulk-targets.ts';

/** Contacts that a request may name one by one. Source: contacts at work 3. */
const mostIds = 1_000;

/** Contacts that are deleted without their number. Source: contacts at work 3. */
const unconfirmed = 100;

const { page: _, size: __, pipelineType: ___, ...filterDescriptions } = boardDescriptions;

const Filter = described(
  z.omit(BoardQuery, { page: true, size: true, pipelineType: true }),
  filterDescriptions,
);

export default operation({
  route: 'POST /api/contacts/bulk',
  summary: 'Change many contacts at once',
  description:
    'A job changes them one by one, with your rights, as if you sent each change by itself: with its events, as one actor. Contacts that you may not see fail. With `dryRun`, nothing changes, and the results say what would. Follow the job with `GET /api/jobs/{id}`. A deletion needs a DEPARTMENT_HEAD and is final; anything else can be reverted.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  status: 202,
  body: z
    .object({
      ids: z.optional(z.array(Id).check(z.minLength(1), z.maxLength(mostIds))),
      filter: z.optional(Filter),
      segmentId: z.optional(Id),
      change: z.optional(BulkChange),
      action: z.optional(z.enum(bulkActions)),
      confirm: z.optional(z.int()),
      dryRun: z.optional(anyBoolean),
    })
    .check(
      z.refine(
        ({ ids, filter, segmentId }) =>
          [ids, filter, segmentId].filter((one) => one !== undefined).length === 1,
        { path: ['ids'], error: 'or filter or segmentId is required, and only one of them' },
      ),
      z.refine(({ change, action }) => (change === undefined) !== (action === undefined), {
        path: ['change'],
        error: 'or action is required, and not both',
      }),
    ),
  descriptions: {
    ids: 'The contacts.',
    filter:
      'Instead: all contacts that you see of this filter, as in the body of `POST /api/contacts`, in all Contact pipelines unless `pipelineId` names one.',
    segmentId: 'Instead: all contacts that you see of this segment.',
    change: 'What to change of each.',
    action: 'Instead of `change`: `delete` for good, or `archive`.',
    confirm: `The number of contacts, to delete more than ${unconfirmed}.`,
    dryRun: 'Whether to only say what would change.',
  },
  output: dataResponse(JobResponse),
  failures: ['FORBIDDEN', 'NOT_FOUND', 'TOO_MANY_ATTEMPTS'],
  example: { body: { ids: [demo.ada], change: { addTags: ['newsletter'] }, dryRun: true } },
  limits: [readPolicy],
  uses: { table: 'write', platform: 'write', rateLimits: 'limit' },
  async run({ body }, { table, platform, rateLimits, caller, now, newId }) {
    const { change: { stage, ...fields } = {}, action, confirm, dryRun = false } = body;
    const contactIds = body.ids && [...new Set(body.ids)];
    const segment =
      body.segmentId === undefined ? undefined : await findSegment(table, caller, body.segmentId);
    const filter = (segment?.data.filter ?? body.filter) as SegmentFilter | undefined;
    await loadCustomFieldTests(filter?.customFilters);
    if (action === 'delete' && !reaches(caller.role, deletingRole)) {
      throw new Failure('FORBIDDEN', 'Only a DEPARTMENT_HEAD or higher may delete contacts by a job.');
    }
    const isFinal = action === 'delete' && !dryRun;
    const total =
      isFinal && filter !== undefined
        ? await rateLimits.limitReads(caller.userId, () => countTargets(table, caller, filter, now))
        : contactIds?.length;
    if (isFinal) {
      requireConfirmed(total ?? 0, confirm);
    }
    const input: BulkInput = {
      ...{ fields, ...(filter === undefined ? { total: contactIds?.length ?? 0 } : { filter }) },
      ...(isFinal && filter && total !== undefined && total > unconfirmed && { must: total }),
      ...(action !== undefined && { action }),
      ...(stage !== undefined && { stage: requestedIn((await readPipelines(table)).data.pipelines, stage) }),
    };
    const { job, actions } = newJob(
      { table, platform },
      caller,
      { type: 'bulk', dryRun, isFinal, input, ...(contactIds && { contactIds }) },
      { now, newId },
    );
    await table.commit([...actions, ...assignableActions(table, undefined, fields, caller)]);
    return ok({ data: toJobResponse(job) });
  },
});

/** @throws a 400 `Failure` unless the number of many contacts is confirmed. */
function requireConfirmed(total: number, confirm: number | undefined): void {
  if (total > unconfirmed && confirm !== total) {
    throw new Failure('INVALID', `confirm must be ${total}, the number of contacts to delete for good`);
  }
}

/** The stage in the request of each contact. @throws a 400 `Failure` for one that no Contact pipeline has. */
function requestedIn(pipelines: readonly Pipeline[], stage: string): NonNullable<BulkInput['stage']> {
  const ofContacts = pipelines.filter(({ type }) => type === 'Contact');
  if (stageById(ofContacts, stage) !== undefined) {
    return { stageId: stage };
  }
  if (!ofContacts.some(({ stages }) => named(stages)(stage) !== undefined)) {
    throw new Failure(
      'INVALID',
      'change.stage is neither the id nor the name of a stage of a Contact pipeline',
    );
  }
  return { stage };
}
