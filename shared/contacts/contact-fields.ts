import * as z from 'zod/mini';
import { type Descriptions, described } from '../kernel/schemas/descriptions.ts';
import { anyBoolean, emailLimit, Id, isEmail, labelOf, nameLimit, nameOf } from '../kernel/schemas/fields.ts';
import { CustomFields } from './custom-fields.ts';
import { PhoneNumber } from './phone-number-field.ts';

/** Numbers, assignees and tags of one contact; numbers and assignees take actions of the same transaction. */
export const contactLimits = {
  phoneNumbers: 10,
  assignees: 10,
  tags: 50,
};

const ShortText = labelOf(nameLimit);
/** A label of a contact. Tags are the same when they differ in case alone. */
export const Tag = nameOf(50);
const Tags = z.array(Tag).check(z.maxLength(contactLimits.tags));
const PhoneNumberField = described(
  z.object({
    value: PhoneNumber,
    label: z._default(ShortText, ''),
    isPrimary: z._default(anyBoolean, false),
  }),
  {
    value: 'The number with its country code, in any usual notation.',
    label: 'What kind of number it is, like `mobile`.',
    isPrimary: 'Whether calls and messages go to this number.',
  },
);

/** The changes of a contact in a request; an absent key keeps its value. */
export const ContactFields = z.object({
  firstName: z.optional(ShortText),
  lastName: z.optional(ShortText),
  email: z.optional(
    z.nullable(z.string().check(z.trim(), isEmail, z.meta({ format: 'email', maxLength: emailLimit }))),
  ),
  phoneNumbers: z.optional(
    z.array(PhoneNumberField).check(
      z.maxLength(contactLimits.phoneNumbers),
      z.refine(
        (numbers) => new Set(numbers.map(({ value }) => value)).size === numbers.length,
        'must not contain the same number twice',
      ),
    ),
  ),
  source: z.optional(z.nullable(ShortText)),
  owner: z.optional(z.nullable(Id)),
  assignees: z.optional(z.array(Id).check(z.maxLength(contactLimits.assignees))),
  customFields: z.optional(CustomFields),
  tags: z.optional(Tags),
  isBulkImport: z.optional(anyBoolean),
});
export type ContactFields = z.output<typeof ContactFields>;

export const contactFieldDescriptions = {
  firstName: 'First name; may be empty.',
  lastName: 'Last name; may be empty.',
  email: 'Email address; null for none.',
  phoneNumbers:
    'Each is unique within the organization. The first is the primary one unless another has `isPrimary`.',
  source: 'Where the contact came from, like `Referral`; null for none.',
  owner: 'The user who owns the contact; null for nobody. By default, you.',
  assignees: 'Other users who work on the contact.',
  customFields: 'Any JSON values by name, at most 50 keys and 16 KB; replaced as a whole.',
  tags: 'Labels to find the contact by. Those that differ in case alone are one; the first spelling stays.',
  isBulkImport: 'Whether the contact comes with a bulk import.',
} satisfies Descriptions<typeof ContactFields>;

/**
 * The changes of an existing contact. Some add to a list or take from it: replacing the whole list would undo simultaneous changes by
 * others.
 */
export const ContactChangeFields = z.extend(ContactFields, {
  addTags: z.optional(Tags),
  removeTags: z.optional(Tags),
  setCustomFields: z.optional(CustomFields),
});
export type ContactChangeFields = z.output<typeof ContactChangeFields>;

export const contactChangeDescriptions = {
  ...contactFieldDescriptions,
  addTags: 'Labels to add; the others stay, as they are spelled. Added after `removeTags` are taken away.',
  removeTags: 'Labels to take away in any case, also from `tags`.',
  setCustomFields:
    'Custom fields to set by name; the others stay, and null removes one. Set after `customFields` replaces all.',
} satisfies Descriptions<typeof ContactChangeFields>;
