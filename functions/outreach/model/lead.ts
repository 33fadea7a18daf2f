import * as z from 'zod/mini';
import { CustomFields } from '../../../shared/contacts/custom-fields.ts';
import { PhoneNumber } from '../../../shared/contacts/phone-numbers.ts';
import { anyText, emailLimit, Id, isEmailAddress, Name } from '../../../shared/kernel/fields.ts';
import { parsed } from '../../../shared/kernel/invalid.ts';

/** May be empty, because an empty field of a form must not lose the lead. */
const Email = z.string().check(
  z.trim(),
  z.refine(
    (text) => text === '' || isEmailAddress(text),
    `must be an e-mail address of at most ${emailLimit} characters`,
  ),
);

/** A lead in a request; all further fields are custom data. Source: specification, "Outreach lead". */
export const SentLead = z.looseObject({
  configurationId: Id,
  phoneNumber: PhoneNumber,
  firstName: Name,
  lastName: Name,
  email: z.optional(z.nullable(Email)),
  customData: z.optional(z.nullable(z.record(anyText, z.unknown()))),
});

export const leadDescriptions = {
  configurationId: 'The outreach configuration, which determines organization, stage, owner and source.',
  phoneNumber: 'With country code, in any usual notation; a contact that has this number is reused.',
  firstName: 'First name of the lead.',
  lastName: 'Last name of the lead.',
  email: 'E-mail address of the lead.',
  customData: 'Any JSON values by name. Takes precedence over an extra field of the same name.',
};

/** An interested person and their data. */
export interface Lead {
  readonly configurationId: string;
  /** E.164. */
  readonly phoneNumber: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string | null;
  readonly customData: Readonly<Record<string, unknown>>;
}

/** @throws a 400 `Failure` for more custom data than a contact may have. */
export function leadOf(sent: z.output<typeof SentLead>): Lead {
  const { configurationId, phoneNumber, firstName, lastName, email, customData, ...further } = sent;
  return {
    configurationId,
    phoneNumber,
    firstName,
    lastName,
    email: email || null,
    customData: parsed(CustomFields, { ...further, ...customData }, 'customData and extra fields'),
  };
}
