import * as z from 'zod/mini';
import { ContactChangeFields } from '../../../shared/contacts/contact-fields.ts';
import type { StageRef } from '../../../shared/contacts/stages.ts';
import { readTargets } from '../../../shared/jobs/contact-targets.ts';
import { recordJob } from '../../../shared/jobs/record-job.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { Name } from '../../../shared/kernel/schemas/fields.ts';

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

/** What such a job is given. */
export interface BulkInput {
  /** How many contacts it has. */
  readonly total: number;
  readonly fields: Omit<BulkChange, 'stage'>;
  readonly stage?: Pick<StageRef, 'stageId'> | { readonly stage: string };
}

/** Changes contacts one by one, each by its own operations. */
export const bulkChanges = recordJob({
  total: async ({ input }: { readonly input: BulkInput }) => input.total,
  read: ({ table, job }, after) => readTargets(table, job._id, after),
  async run({ contactId }, { input: { fields, stage }, perform }) {
    const path = { id: contactId };
    const moreFollow = stage !== undefined;
    if (Object.keys(fields).length > 0) {
      await perform('update-contact', { path, body: fields }, { moreFollow });
    }
    if (stage !== undefined) {
      await perform('move-contact', { path, body: stage });
    }
    return undefined;
  },
});
