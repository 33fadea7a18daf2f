import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime } from '../kernel/schemas/fields.ts';
import { consentSources } from './consent.ts';

const textOrNull = z.nullable(anyString);
const texts = z.array(anyString);

const PhoneNumberResponse = described(
  z.object({
    value: anyString,
    label: anyString,
    isPrimary: anyBoolean,
    extension: z.exactOptional(anyString),
  }),
  {
    value: 'The number, in E.164.',
    label: 'What kind of number it is, like `mobile`; may be empty.',
    isPrimary: 'Whether calls and messages go to this number. True for exactly one of them.',
    extension: 'The digits to dial once somebody answers; left out for none.',
  },
);

const ConsentResponse = described(
  z.object({ sms: z.enum(['in', 'out']), since: dateTime, source: z.enum(consentSources) }),
  {
    sms: '`in`: text messages may be sent. `out`: they are refused with 409.',
    since: 'When that was last said; until then, when the contact was created.',
    source:
      '`keyword`: the contact, with a word like STOP or START. `user`: a user; also as long as nobody has said anything, when the contact is `in`. `provider`: the provider refused a text message, because the contact had opted out with it.',
  },
);

export const contactDescriptions = {
  _id: 'The id of the contact.',
  organizationId: 'The organization it belongs to.',
  firstName: 'First name; may be empty.',
  lastName: 'Last name; may be empty.',
  fullName: 'First and last name.',
  email: 'Email address.',
  externalId: 'The id that another system has for it; no other contact of the organization has it.',
  phoneNumbers: 'Phone numbers; no other contact of the organization has them.',
  source: 'Where the contact came from, like `Referral`.',
  pipelineId: 'The pipeline the contact is in.',
  stageId: 'The stage of that pipeline the contact is in.',
  stage: 'The name of that stage.',
  createdBy: 'The user who created the contact.',
  owner: 'The user who owns the contact; null for nobody.',
  assignees: 'Other users who work on the contact.',
  customFields: 'Any JSON values by name.',
  tags: 'Labels to find the contact by.',
  isBulkImport: 'Whether the contact came with a bulk import.',
  lastMessageAt: 'When the last message was sent or received; null when there is none.',
  lastMessageDirection: 'Which way the last message went; null when there is none.',
  createdAt: 'When the contact was created.',
  updatedAt: 'When the contact last changed.',
  archivedAt: 'When the contact was archived; left out unless it is.',
  consent:
    'Whether the contact wants text messages. Consent belongs to numbers: this is that of the primary one, or else of the address that the contact writes from.',
} as const;

/** Source: specification, "Contact"; decisions 6, "Record". */
export const ContactResponse = described(
  z.object({
    _id: anyString,
    organizationId: anyString,
    firstName: anyString,
    lastName: anyString,
    fullName: anyString,
    email: textOrNull,
    externalId: textOrNull,
    phoneNumbers: z.array(PhoneNumberResponse),
    source: textOrNull,
    pipelineId: anyString,
    stageId: anyString,
    stage: anyString,
    createdBy: anyString,
    owner: textOrNull,
    assignees: texts,
    customFields: z.record(anyString, z.unknown()),
    tags: texts,
    isBulkImport: anyBoolean,
    lastMessageAt: z.nullable(dateTime),
    lastMessageDirection: z.nullable(z.enum(['inbound', 'outbound'])),
    createdAt: dateTime,
    updatedAt: dateTime,
    archivedAt: z.exactOptional(dateTime),
    consent: ConsentResponse,
  }),
  contactDescriptions,
  { id: 'Contact', description: 'A person, in a stage of a pipeline.' },
);
