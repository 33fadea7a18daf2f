import * as z from 'zod/mini';
import {
  ContactChangeFields,
  contactChangeDescriptions,
  contactLimits,
  Tag,
} from '../../../../shared/contacts/contact-fields.ts';
import { withoutNulls } from '../../../../shared/kernel/http/without-nulls.ts';
import { described } from '../../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, Id } from '../../../../shared/kernel/schemas/fields.ts';
import { hasPlaceholder } from '../../../../shared/messages/fill-placeholders.ts';
import { stageFields, stageReferences, UserOrPlaceholder, userReferences } from './node-fields.ts';
import { nodeType } from './node-type.ts';

const clearable = z.optional(z.nullable(anyString));
const texts = z.optional(z.array(anyString));
const anyFields = z.optional(z.record(anyString, z.unknown()));

/** Bytes of JSON: more than a contact may have. */
const changesLimit = 64 * 1024;

/** The fields of `PUT /api/contacts/{id}`; each text may be a placeholder, so only the filled ones can be checked. */
const people = z.optional(z.array(anyString).check(z.maxLength(contactLimits.assignees)));

const Changes = described(
  z
    .strictObject({
      firstName: z.optional(anyString),
      lastName: z.optional(anyString),
      email: clearable,
      phoneNumbers: z.optional(
        z.array(
          described(
            z.object({
              value: anyString,
              label: z.optional(anyString),
              isPrimary: z.optional(anyBoolean),
              extension: z.optional(anyString),
            }),
            {
              value: 'The number with its country code, in any usual notation.',
              label: 'What kind of number it is, like `mobile`.',
              isPrimary: 'Whether calls and messages go to this number.',
              extension: 'The digits to dial once somebody answers.',
            },
          ),
        ),
      ),
      externalId: clearable,
      source: clearable,
      owner: clearable,
      assignees: people,
      customFields: anyFields,
      tags: texts,
      isBulkImport: z.optional(anyBoolean),
      addTags: texts,
      removeTags: texts,
      addAssignees: people,
      removeAssignees: people,
      setCustomFields: anyFields,
    })
    .check(
      z.refine((set) => Object.keys(set).length > 0, 'must name a field'),
      z.refine(
        (set) => Buffer.byteLength(JSON.stringify(set)) <= changesLimit,
        `must have at most ${changesLimit / 1024} KB as JSON`,
      ),
      z.check(({ value, issues }) => {
        const result = ContactChangeFields.safeParse(withoutNulls(ContactChangeFields, fixedFields(value)));
        issues.push(
          ...(result.error?.issues ?? []).map((issue) => ({
            ...issue,
            code: 'custom' as const,
            input: value,
          })),
        );
      }),
    ),
  contactChangeDescriptions,
  { minProperties: 1 },
);

/** The fields that do not depend on the run. */
function fixedFields(set: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(set).filter(([, value]) => !hasPlaceholder(JSON.stringify(value) ?? '')),
  );
}

const UpdateContactData = described(z.object({ set: Changes }), {
  set: 'The fields to change, as in `PUT /api/contacts/{id}`; strings may contain placeholders. At most 64 KB as JSON.',
});

export const updateContact = nodeType<z.output<typeof UpdateContactData>>({
  type: 'updateContact',
  title: 'Update the contact',
  description:
    'Changes fields of the contact as `PUT /api/contacts/{id}` does: lists and `customFields` are replaced as a whole, while those that add, take away or set leave the rest as it is. If nothing changes, the step says so. Skipped with `user_gone` if `owner` or one of `assignees` or `addAssignees` is not in the organization.',
  schema: UpdateContactData,
  actsAsOwner: true,
  needsContact: true,
  references: ({ set: { owner, assignees = [], addAssignees = [] } }) =>
    userReferences([
      ['set.owner', owner ?? undefined],
      ...addAssignees.map((id, index) => [`set.addAssignees[${index}]`, id] as const),
      ...assignees.map((id, index) => [`set.assignees[${index}]`, id] as const),
    ]),
});

const maxInTurn = 50;

const AssignData = described(
  z
    .object({
      userId: z.optional(UserOrPlaceholder),
      roundRobin: z.optional(z.array(Id).check(z.minLength(1), z.maxLength(maxInTurn))),
    })
    .check(
      z.refine(({ userId, roundRobin }) => (userId === undefined) !== (roundRobin === undefined), {
        path: ['userId'],
        error: 'or roundRobin is required, and not both',
      }),
    ),
  {
    userId: 'The new owner. May be a placeholder, like `{{event.userId}}`.',
    roundRobin:
      'Instead of `userId`, the ids of at most 50 users who become owners in turn over all runs of the workflow. One who is disabled or gone is passed over.',
  },
  { oneOf: [{ required: ['userId'] }, { required: ['roundRobin'] }] },
);

export const assign = nodeType<z.output<typeof AssignData>>({
  type: 'assign',
  title: 'Assign the contact',
  description:
    'Makes a user the owner of the contact as `PUT /api/contacts/{id}` does: the new owner takes over the conversations of the previous one, and is notified. With `roundRobin`, each run takes the next user: the turn counts in the same transaction, so that none is lost or taken twice, even if many runs take turns at the same time. Skipped with `no_user` if there is nobody to assign, and `user_gone` if the user is not in the organization.',
  schema: AssignData,
  actsAsOwner: true,
  needsContact: true,
  references: ({ userId, roundRobin = [] }) =>
    userReferences([
      ['userId', userId],
      ...roundRobin.map((id, index) => [`roundRobin[${index}]`, id] as const),
    ]),
});

const MoveStageData = described(z.object(stageFields), {
  pipelineId:
    'The Contact pipeline of the stage. By default, a name is one in the pipeline that the contact is in.',
  stage: 'The stage to move to, by id or by name.',
});

export const moveStage = nodeType<z.output<typeof MoveStageData>>({
  type: 'moveStage',
  title: 'Move the contact to a stage',
  description:
    'Moves the contact as `PUT /api/contacts/{id}/stage` does. A contact that is in the stage already does not change. Skipped with `pipeline_gone` or `stage_gone` if there is no such Contact pipeline or stage.',
  schema: MoveStageData,
  actsAsOwner: true,
  needsContact: true,
  references: (data) => stageReferences(data, 'Contact'),
});

const TagsData = described(
  z.object({ tags: z.array(Tag).check(z.minLength(1), z.maxLength(contactLimits.tags)) }),
  { tags: 'Labels; may contain placeholders.' },
);

export const addTags = nodeType<z.output<typeof TagsData>>({
  type: 'addTags',
  title: 'Add tags',
  description:
    'Adds tags to the contact, as `addTags` of `PUT /api/contacts/{id}` does; the others stay. A contact that has them already does not change.',
  schema: TagsData,
  actsAsOwner: true,
  needsContact: true,
});

export const removeTags = nodeType<z.output<typeof TagsData>>({
  type: 'removeTags',
  title: 'Remove tags',
  description:
    'Takes tags from the contact, as `removeTags` of `PUT /api/contacts/{id}` does; the others stay. A contact that has none of them does not change.',
  schema: TagsData,
  actsAsOwner: true,
  needsContact: true,
});
