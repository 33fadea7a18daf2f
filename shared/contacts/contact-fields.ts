import * as z from 'zod/mini';
import { filledText, Id, isEmail, nameLimit, text, yesOrNo } from '../kernel/fields.ts';
import { CustomFields } from './custom-fields.ts';
import { PhoneNumber } from './phone-number-field.ts';

/** Numbers, assignees and tags of one contact: each files or locks something in the same transaction. */
const contactLimits = {
  phoneNumbers: 10,
  assignees: 10,
  tags: 50,
};

const ShortText = text(nameLimit);
const PhoneNumberField = z.object({
  value: PhoneNumber,
  label: z._default(ShortText, ''),
  isPrimary: z._default(yesOrNo, false),
});

/** What a client may say of a contact. A key that is absent stays as it is. */
export const ContactFields = z.object({
  firstName: z.optional(ShortText),
  lastName: z.optional(ShortText),
  email: z.optional(z.nullable(z.string().check(z.trim(), isEmail, z.meta({ format: 'email' })))),
  phoneNumbers: z.optional(
    z.array(PhoneNumberField).check(
      z.maxLength(contactLimits.phoneNumbers),
      z.refine(
        (numbers) => new Set(numbers.map(({ value }) => value)).size === numbers.length,
        'must not hold a number twice',
      ),
    ),
  ),
  source: z.optional(z.nullable(ShortText)),
  owner: z.optional(z.nullable(Id)),
  assignees: z.optional(z.array(Id).check(z.maxLength(contactLimits.assignees))),
  customFields: z.optional(CustomFields),
  tags: z.optional(z.array(filledText(50)).check(z.maxLength(contactLimits.tags))),
  isBulkImport: z.optional(yesOrNo),
});
export type ContactFields = z.output<typeof ContactFields>;

/** What the fields mean, for the documentation. */
export const contactFieldMeanings = {
  phoneNumbers: 'Unique within the organization. The first is the primary one unless another says so.',
  owner: 'A user; the caller when absent at creation, nobody when null.',
  assignees: 'Ids of users.',
  customFields: 'At most 50 keys and 16 KB of any JSON; replaced whole.',
} satisfies Partial<Record<keyof ContactFields, string>>;
