import * as z from 'zod/mini';
import { assignableActions } from '../../shared/contact-aggregate/assignable.ts';
import { type Pipeline, readPipelines } from '../../shared/contacts/pipeline.ts';
import { stageById } from '../../shared/contacts/stages.ts';
import { JobResponse, toJobResponse } from '../../shared/jobs/job-response.ts';
import { newJob } from '../../shared/jobs/new-job.ts';
import { type Caller, reaches } from '../../shared/kernel/caller.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { named } from '../../shared/kernel/names/same-names.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyBoolean, Id } from '../../shared/kernel/schemas/fields.ts';
import { BulkChange, type BulkInput, bulkActions, deletingRole } from './model/bulk-change.ts';

/** Contacts that a request may name one by one. Source: contacts at work 3. */
const mostIds = 1_000;

/** Contacts that are deleted without their number. Source: contacts at work 3. */
const unconfirmed = 100;

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
      ids: z.array(Id).check(z.minLength(1), z.maxLength(mostIds)),
      change: z.optional(BulkChange),
      action: z.optional(z.enum(bulkActions)),
      confirm: z.optional(z.int()),
      dryRun: z.optional(anyBoolean),
    })
    .check(
      z.refine(({ change, action }) => (change === undefined) !== (action === undefined), {
        path: ['change'],
        error: 'or action is required, and not both',
      }),
    ),
  descriptions: {
    ids: 'The contacts.',
    change: 'What to change of each.',
    action: 'Instead of `change`: `delete` for good, or `archive`.',
    confirm: `The number of contacts, to delete more than ${unconfirmed}.`,
    dryRun: 'Whether to only say what would change.',
  },
  output: dataResponse(JobResponse),
  failures: ['FORBIDDEN'],
  example: { body: { ids: [demo.ada], change: { addTags: ['newsletter'] }, dryRun: true } },
  uses: { table: 'write', platform: 'write' },
  async run({ body }, { table, platform, caller, now, newId }) {
    const { change: { stage, ...fields } = {}, action, confirm, dryRun = false } = body;
    const contactIds = [...new Set(body.ids)];
    const total = contactIds.length;
    if (action === 'delete') {
      requireDeletable(caller, total, dryRun ? total : confirm);
    }
    const input: BulkInput = {
      ...{ total, fields },
      ...(action !== undefined && { action }),
      ...(stage !== undefined && { stage: requestedIn((await readPipelines(table)).data.pipelines, stage) }),
    };
    const { job, actions } = newJob(
      { table, platform },
      caller,
      { type: 'bulk', dryRun, isFinal: action === 'delete', input, contactIds },
      { now, newId },
    );
    await table.commit([...actions, ...assignableActions(table, undefined, fields, caller)]);
    return ok({ data: toJobResponse(job) });
  },
});

/** @throws a 403 `Failure` for a caller who may not delete many, a 400 one unless the number of many is confirmed. */
function requireDeletable({ role }: Caller, total: number, confirm: number | undefined): void {
  if (!reaches(role, deletingRole)) {
    throw new Failure('FORBIDDEN', 'Only a DEPARTMENT_HEAD or higher may delete contacts by a job.');
  }
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
