import * as z from 'zod/mini';
import {
  ContactChangeFields,
  contactChangeDescriptions,
  contactLimits,
} from '../../../../../shared/contacts/contact-fields.ts';
import { withoutNulls } from '../../../../../shared/kernel/http/without-nulls.ts';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString } from '../../../../../shared/kernel/schemas/fields.ts';
import { hasPlaceholder } from '../../../../../shared/messages/fill-placeholders.ts';
import { type Gone, goneUser, skippedFor } from '../gone.ts';
import { knownState } from '../known-contact.ts';
import { textsFrom } from '../texts.ts';
import { userReferences } from '../user-fields.ts';
import { nodeType } from './node-type.ts';

const clearable = z.optional(z.nullable(anyString));
const texts = z.optional(z.array(anyString));
const anyFields = z.optional(z.record(anyString, z.unknown()));

/** Bytes of JSON: more than a contact may have. */
const changesLimit = 64 * 1024;

/** The fields of `PUT /api/contacts/{id}`; each text may be a placeholder, so only the filled ones can be checked. */
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
      source: clearable,
      owner: clearable,
      assignees: z.optional(z.array(anyString).check(z.maxLength(contactLimits.assignees))),
      customFields: anyFields,
      tags: texts,
      isBulkImport: z.optional(anyBoolean),
      addTags: texts,
      removeTags: texts,
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

const Data = described(z.object({ set: Changes }), {
  set: 'The fields to change, as in `PUT /api/contacts/{id}`; strings may contain placeholders. At most 64 KB as JSON.',
});

export default nodeType<z.output<typeof Data>, Gone>({
  type: 'updateContact',
  title: 'Update the contact',
  description:
    'Changes fields of the contact as `PUT /api/contacts/{id}` does: lists and `customFields` are replaced as a whole, while `addTags`, `removeTags` and `setCustomFields` leave the rest as it is. If nothing changes, the step says so. Skipped with `user_gone` if `owner` or one of `assignees` is not in the organization.',
  schema: Data,
  actsAsOwner: true,
  needsContact: true,
  references: ({ set: { owner, assignees = [] } }) =>
    userReferences([
      ['set.owner', owner ?? undefined],
      ...assignees.map((id, index) => [`set.assignees[${index}]`, id] as const),
    ]),
  read({ set: { owner, assignees = [] } }, sources) {
    const { filledIn } = textsFrom(sources);
    return goneUser(sources, filledIn([owner ?? '', ...assignees]).filter(Boolean));
  },
  decide({ set }, input) {
    const { extra: gone } = input;
    if (gone !== undefined) {
      return skippedFor(gone);
    }
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'update-contact',
        path: { id: knownState(input.facts).contact._id },
        body: textsFrom(input).filledIn(set),
      },
    };
  },
});
