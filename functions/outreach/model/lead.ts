import * as z from 'zod/mini';
import { readLeadPhoneNumber } from '../../../shared/contacts/read-phone-number.ts';
import { Id, isEmailAddress, Name } from '../../../shared/kernel/schemas/fields.ts';
import { fieldsThatFit } from './fitting-fields.ts';

/** A number with country code. Many sources leave out the plus. */
const LeadPhoneNumber = z.string().check(
  z.refine(
    (written) => readLeadPhoneNumber(written) !== undefined,
    'must be an E.164 phone number, like +15551234567',
  ),
  z.overwrite((written) => readLeadPhoneNumber(written)?.value ?? written),
);

/** A lead in a request; all further fields are custom data. Source: specification, "Outreach lead". */
export const SentLead = z.looseObject({
  configurationId: Id,
  phoneNumber: LeadPhoneNumber,
  firstName: Name,
  lastName: Name,
  email: z.optional(z.unknown()),
  customData: z.optional(z.unknown()),
});

export const leadDescriptions = {
  configurationId: 'The outreach configuration, which determines organization, stage, owner and source.',
  phoneNumber:
    'With country code, in any usual notation; 11 to 15 digits without a plus get one. A contact that has this number is reused.',
  firstName: 'First name of the lead.',
  lastName: 'Last name of the lead.',
  email: 'Email address of the lead; anything else is kept as custom data.',
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
  /** The names of what does not fit into the custom data of a contact. */
  readonly leftOut: readonly string[];
}

/**
 * Only the required fields can refuse a lead: an `email` that is not an address becomes custom data, and custom data beyond the limits
 * is kept as far as it fits. `lost` names what the repair of the body left out.
 */
export function leadOf(sent: z.output<typeof SentLead>, lost: readonly string[] = []): Lead {
  const { configurationId, phoneNumber, firstName, lastName, email, customData, ...further } = sent;
  const written = typeof email === 'string' ? email.trim() : email;
  const isEmail = typeof written === 'string' && isEmailAddress(written);
  const isOther = !isEmail && written !== '' && written !== null && written !== undefined;
  const { fields, leftOut } = fieldsThatFit({
    ...(isOther ? { email } : {}),
    ...further,
    ...(isRecord(customData) ? customData : customData == null ? {} : { customData }),
  });
  return {
    configurationId,
    phoneNumber,
    firstName,
    lastName,
    email: isEmail ? written : null,
    customData: fields,
    leftOut: [...lost, ...leftOut],
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
