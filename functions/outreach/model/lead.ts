import * as z from 'zod/mini';
import { type ReadPhoneNumber, readLeadPhoneNumber } from '../../../shared/contacts/read-phone-number.ts';
import {
  digitsIn,
  type ExactNumber,
  isExactNumber,
  isNumber,
  parseJson,
} from '../../../shared/kernel/exact-numbers.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { depthLimit } from '../../../shared/kernel/http/body.ts';
import { AnyNumber } from '../../../shared/kernel/http/plain-numbers.ts';
import { repaired } from '../../../shared/kernel/http/repaired-body.ts';
import { Id, inOneLine, isEmailAddress, nameLimit } from '../../../shared/kernel/schemas/fields.ts';
import { isRequired, truncated } from '../../../shared/messages/provider-fields.ts';
import { toDigest } from '../../../shared/table/digest.ts';
import { fieldsThatFit } from './fitting-fields.ts';

/**
 * A lead in a request. Only the configuration must be readable; every other field may be anything, and what is not of its kind becomes
 * custom data like all further fields. Source: specification, "Outreach lead"; decisions 10, "Outreach lead, never lost for a detail".
 */
export const SentLead = z.looseObject({
  configurationId: z.pipe(
    z.union([z.string(), AnyNumber, z.boolean()], { error: isRequired }),
    z.pipe(
      z.transform((id: string | number | boolean | ExactNumber) =>
        isNumber(id) ? digitsIn(id) : String(id),
      ),
      z.pipe(z.string().check(z.trim()), Id),
    ),
  ),
  phoneNumber: z.optional(z.unknown()),
  firstName: z.optional(z.unknown()),
  lastName: z.optional(z.unknown()),
  email: z.optional(z.unknown()),
  customData: z.optional(z.unknown()),
});

export const leadDescriptions = {
  configurationId: 'The outreach configuration, which determines organization, stage, owner and source.',
  phoneNumber:
    'With country code, in any usual notation, also behind `011` and with a remark in brackets; 11 to 15 digits without a plus get one, unless no country has such numbers. A contact that has this number is reused. Anything else is kept as custom data, and the contact has no number.',
  firstName: `First name of the lead, cut at ${nameLimit} characters.`,
  lastName: `Last name of the lead, cut at ${nameLimit} characters.`,
  email: 'Email address of the lead; anything else is kept as custom data.',
  customData:
    'Any JSON values by name, or the JSON text of such an object. Takes precedence over extra fields, for names and for room.',
};

/** An interested person and their data. */
export interface Lead {
  readonly configurationId: string;
  /** E.164; undefined for a lead that gives none. */
  readonly phoneNumber: string | undefined;
  /** The extension of that number; undefined for none. */
  readonly extension: string | undefined;
  /** Empty if the lead gives none. */
  readonly firstName: string;
  /** Empty if the lead gives none. */
  readonly lastName: string;
  readonly email: string | null;
  /** By name, in the order in which they get the room that a contact has: `customData` first. */
  readonly customData: ReadonlyMap<string, unknown>;
  /** The names of what does not fit into the custom data of a contact. */
  readonly skippedFields: readonly string[];
  /** The same for leads that say the same for the same configuration: the order of fields and the blanks around texts say nothing. */
  readonly digest: string;
}

/**
 * Reads a lead. `lost` names what the repair of the body left out.
 * @throws a 400 `Failure` for a lead that names nobody, and for a key `__proto__` in custom data that is JSON text.
 */
export function toLead(sent: z.output<typeof SentLead>, lost: readonly string[] = []): Lead {
  const { configurationId, phoneNumber, firstName, lastName, email, customData, ...further } = sent;
  const sentData = customDataIn(customData);
  const read = {
    phoneNumber: leadPhoneNumber(sent),
    email: emailIn(email),
    firstName: nameIn(firstName),
    lastName: nameIn(lastName),
    customData: sentData?.value,
  };
  if (!read.phoneNumber && !read.email && !read.firstName && !read.lastName) {
    throw new Failure(
      'INVALID',
      'The lead names nobody. Send at least one of firstName, lastName, phoneNumber and email.',
    );
  }
  const unread = Object.entries(read)
    .filter(([name, value]) => value === undefined && !isEmpty(sent[name]))
    .map(([name]) => [name, sent[name]] as const);
  const all = inOrder([Object.entries(sentData?.value ?? {}), unread, Object.entries(further)]);
  const { skippedFields } = fieldsThatFit(all);
  const replaced = unread.flatMap(([name, value]) => (all.get(name) === value ? [] : [name]));
  const hasNoRoom = new Set(skippedFields);
  const person = {
    configurationId,
    phoneNumber: read.phoneNumber?.value,
    extension: read.phoneNumber?.extension,
    firstName: read.firstName ?? '',
    lastName: read.lastName ?? '',
    email: read.email ?? null,
  };
  return {
    ...person,
    customData: new Map([...all].filter(([name]) => !hasNoRoom.has(name))),
    skippedFields: [...lost, ...(sentData?.skippedFields ?? []), ...replaced, ...skippedFields],
    digest: toDigest(JSON.stringify(comparable([person, Object.fromEntries(all)]))),
  };
}

/** A number that a spreadsheet took for a decimal: `4915112345678.0`. */
const ofFloat = /^(\+?\d+)\.0+$/;

/** The number that a lead gives; undefined if it gives none. Many sources leave out the plus. */
export function leadPhoneNumber({ phoneNumber }: z.output<typeof SentLead>): ReadPhoneNumber | undefined {
  return readLeadPhoneNumber((textOf(phoneNumber) ?? '').replace(ofFloat, '$1'));
}

/** The text that a form or a spreadsheet meant by a value; undefined for a value that is no text. */
function textOf(value: unknown): string | undefined {
  if (isNumber(value)) {
    return digitsIn(value);
  }
  return typeof value === 'string' || typeof value === 'boolean' ? String(value).trim() : undefined;
}

function isEmpty(value: unknown): boolean {
  return value == null || textOf(value) === '';
}

function nameIn(value: unknown): string | undefined {
  const written = textOf(value);
  return written === undefined ? undefined : truncated(inOneLine(written), nameLimit).trim();
}

function emailIn(value: unknown): string | undefined {
  const written = textOf(value) ?? '';
  return isEmailAddress(written) ? written : undefined;
}

/** The fields of `customData`, which a form can only send as JSON text; undefined for what is no JSON object. */
function customDataIn(value: unknown): { value: object; skippedFields: readonly string[] } | undefined {
  if (isRecord(value)) {
    return { value, skippedFields: [] };
  }
  const parsed = typeof value === 'string' ? jsonIn(value) : undefined;
  if (!isRecord(parsed)) {
    return undefined;
  }
  const { value: fields, skippedFields } = repaired(parsed, depthLimit - 1);
  return { value: fields as object, skippedFields: skippedFields.map((path) => `customData.${path}`) };
}

/** The value of a JSON text; undefined for any other text. */
function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** The fields of all parts in their order; the first one of a name counts. A map, because an object has names like `7` first. */
function inOrder(parts: readonly (readonly (readonly [string, unknown])[])[]): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [name, value] of parts.flat()) {
    if (!fields.has(name)) {
      fields.set(name, value);
    }
  }
  return fields;
}

/** The same JSON for values that say the same. */
function comparable(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.trim();
  }
  if (Array.isArray(value)) {
    return value.map(comparable);
  }
  return isRecord(value)
    ? Object.entries(value)
        .map(([name, member]) => [name, comparable(member)] as const)
        .sort(([one], [other]) => (one < other ? -1 : 1))
    : value;
}
