import * as z from 'zod/mini';
import type { SegmentFilter } from '../../../shared/board/segment.ts';
import { ContactChangeFields } from '../../../shared/contacts/contact-fields.ts';
import { findContact } from '../../../shared/contacts/find-contact.ts';
import type { StageRef } from '../../../shared/contacts/stages.ts';
import { jobExpiry, jobInputKey } from '../../../shared/jobs/job.ts';
import type { SliceContext } from '../../../shared/jobs/job-type.ts';
import { recordJob } from '../../../shared/jobs/record-job.ts';
import { reaches } from '../../../shared/kernel/caller.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { Name } from '../../../shared/kernel/schemas/fields.ts';
import { listTargets } from './bulk-targets.ts';
import { readTargets } from './contact-targets.ts';

const { addTags, removeTags, owner, addAssignees, removeAssignees, setCustomFields } =
  ContactChangeFields.shape;

/** What a job changes of each of its contacts. */
export const BulkChange = described(
  z
    .object({
      ...{ addTags, removeTags, owner, addAssignees, removeAssignees, setCustomFields },
      stage: z.optional(Name),
    })
    .check(
      z.refine(
        (change) => Object.values(change).some((value) => value !== undefined),
        'must have at least one field',
      ),
    ),
  {
    addTags: 'Labels to add.',
    removeTags: 'Labels to take away.',
    owner: 'The new owner; null for nobody.',
    addAssignees: 'Users to add to the assignees.',
    removeAssignees: 'Users to take from the assignees.',
    setCustomFields: 'Custom fields to set by name; null removes one.',
    stage: 'The id of a stage, or the name of one in the pipeline of each contact.',
  },
  { minProperties: 1 },
);
export type BulkChange = z.output<typeof BulkChange>;

/** What a job does with each of its contacts, in place of a change. */
export const bulkActions = ['delete', 'archive'] as const;

/** The lowest role that deletes many contacts at once. */
export const deletingRole = 'DEPARTMENT_HEAD';

/** What such a job is given. */
export interface BulkInput {
  /** How many contacts it has, once they are listed: at once if they are named one by one. */
  readonly total?: number;
  /** Otherwise they are those of a filter, listed when the job begins. */
  readonly filter?: SegmentFilter;
  /** How many there must be: otherwise nothing is done. */
  readonly must?: number;
  readonly action?: (typeof bulkActions)[number];
  readonly fields: Omit<BulkChange, 'stage'>;
  readonly stage?: Pick<StageRef, 'stageId'> | { readonly stage: string };
}

/** Changes contacts one by one, each by its own operations. */
export const bulkChanges = recordJob({
  total: async (context: SliceContext<BulkInput>) => {
    const { input, job, table } = context;
    if (input.total !== undefined) {
      return input.total;
    }
    const total = await listTargets(context, input.filter as SegmentFilter, input.must);
    // A slice that is repeated must not list them again: the contacts that it has changed may no longer be in the filter.
    const listed: BulkInput = { ...input, total };
    await table.commit([table.put(jobInputKey(job._id), listed, { expiresAt: jobExpiry(job) })]);
    return total;
  },
  read: ({ table, job }, after) => readTargets(table, job._id, after),
  async run({ contactId }, { input: { action, fields, stage }, job, table, caller, perform }) {
    const path = { id: contactId };
    if (action === 'delete') {
      if (!reaches(caller.role, deletingRole)) {
        throw new Failure('FORBIDDEN', 'Only a DEPARTMENT_HEAD or higher may delete contacts by a job.');
      }
      if (job.dryRun) {
        // The deletion of a large contact begins before its transaction.
        await findContact(table, caller, contactId);
        return { status: 'updated' };
      }
      await perform('delete-contact', { path });
    }
    if (action === 'archive') {
      await perform('archive-contact', { path });
    }
    const moreFollow = stage !== undefined;
    if (Object.keys(fields).length > 0) {
      await perform('update-contact', { path, body: fields }, { moreFollow });
    }
    if (stage !== undefined) {
      await perform('move-contact', { path, body: stage });
    }
    return undefined;
  },
  finish: async ({ input: { must } }, { total }) =>
    must === undefined || must === total
      ? undefined
      : { problem: `There are no longer exactly ${must} contacts: none was deleted.` },
});
