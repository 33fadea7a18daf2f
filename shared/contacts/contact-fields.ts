import * as z from 'zod/mini';
import { sameNumberForm } from '../kernel/names/same-numbers.ts';
import { type Descriptions, described } from '../kernel/schemas/descriptions.ts';
import {
  anyBoolean,
  emailLimit,
  Id,
  isEmail,
  labelSchema,
  nameLimit,
  nameSchema,
  orEmpty,
} from '../kernel/schemas/fields.ts';
import { CustomFields } from './custom-fields.ts';
import { WrittenPhoneNumber } from './phone-number-field.ts';
import { longestExtension, readPhoneNumber } from './read-phone-number.ts';

/** Numbers, assignees and tags of one contact; numbers and assignees take actions of the same transaction. */
export const contactLimits = {
  phoneNumbers: 10,
  assignees: 10,
  tags: 50,
};

const ShortText = labelSchema(nameLimit);
/** A label of a contact. Tags are the same when they differ in case alone. */
export const Tag = nameSchema(50);
const Assignees = z.array(Id).check(z.maxLength(contactLimits.assignees));
const Tags = z.array(Tag).check(z.maxLength(contactLimits.tags));
/** The id that another system has for a contact. */
export const ExternalId = orEmpty(nameSchema(nameLimit));
const Extension = z
  .string()
  .check(
    z.trim(),
    z.regex(new RegExp(`^\\d{0,${longestExtension}}$`), `must be at most ${longestExtension} digits`),
  );

/** The number as it is stored, with the extension that is written in it or sent beside it. */
function withExtension<Written extends { value: string }>(number: Written, sent: string | undefined) {
  const { value, extension = sent } = readPhoneNumber(number.value) ?? { value: number.value };
  return { ...number, value, ...(extension ? { extension } : {}) };
}

const PhoneNumberField = described(
  z
    .object({
      value: WrittenPhoneNumber,
      label: z._default(ShortText, ''),
      isPrimary: z._default(anyBoolean, false),
      extension: z.exactOptional(Extension),
    })
    .check(z.overwrite(({ extension, ...number }) => withExtension(number, extension))),
  {
    value:
      'The number with its country code, in any usual notation: `+44 (0)20 7946 0958`, `0044/20/79460958`, `tel:+44-20-7946-0958`, in digits of any script. Stored in E.164, without a trunk prefix.',
    label: 'What kind of number it is, like `mobile`.',
    isPrimary: 'Whether calls and messages go to this number.',
    extension:
      'The digits to dial once somebody answers, at most 20; also read from `value`, behind `ext.`, `x`, `#` or `;ext=`. Empty for none.',
  },
);

/** The changes of a contact in a request; an absent key keeps its value. */
export const ContactFields = z.object({
  firstName: z.optional(ShortText),
  lastName: z.optional(ShortText),
  email: z.optional(
    z.nullable(
      orEmpty(z.string().check(z.trim(), isEmail, z.meta({ format: 'email', maxLength: emailLimit }))),
    ),
  ),
  externalId: z.optional(z.nullable(ExternalId)),
  phoneNumbers: z.optional(
    z.array(PhoneNumberField).check(
      z.maxLength(contactLimits.phoneNumbers),
      z.refine(
        (numbers) => new Set(numbers.map(({ value }) => sameNumberForm(value))).size === numbers.length,
        'must not contain the same number twice',
      ),
    ),
  ),
  source: z.optional(z.nullable(ShortText)),
  owner: z.optional(z.nullable(Id)),
  assignees: z.optional(Assignees),
  customFields: z.optional(CustomFields),
  tags: z.optional(Tags),
  isBulkImport: z.optional(anyBoolean),
});
export type ContactFields = z.output<typeof ContactFields>;

export const contactFieldDescriptions = {
  firstName: 'First name; may be empty.',
  lastName: 'Last name; may be empty.',
  email: 'Email address; null or empty for none.',
  externalId:
    'The id that another system has for the contact, as it is: unique within the organization; null or empty for none.',
  phoneNumbers:
    'Each is unique within the organization. The first is the primary one unless another has `isPrimary`. An entry whose `value` is empty counts as none.',
  source: 'Where the contact came from, like `Referral`; null for none.',
  owner: 'The user who owns the contact; null or empty for nobody. By default, you.',
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
  addAssignees: z.optional(Assignees),
  removeAssignees: z.optional(Assignees),
  setCustomFields: z.optional(CustomFields),
});
export type ContactChangeFields = z.output<typeof ContactChangeFields>;

export const contactChangeDescriptions = {
  ...contactFieldDescriptions,
  source: `${contactFieldDescriptions.source} In another case than before, it keeps its spelling.`,
  tags: `${contactFieldDescriptions.tags} One that the contact has already keeps its spelling.`,
  addTags: 'Labels to add; the others stay, as they are spelled. Added after `removeTags` are taken away.',
  removeTags: 'Labels to take away in any case, also from `tags`.',
  addAssignees:
    'Users to add to the assignees; the others stay. Added after `removeAssignees` are taken away.',
  removeAssignees: 'Users to take from the assignees.',
  setCustomFields:
    'Custom fields to set by name; the others stay, and null removes one. Set after `customFields` replaces all.',
} satisfies Descriptions<typeof ContactChangeFields>;
