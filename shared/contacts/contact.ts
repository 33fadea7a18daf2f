import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Caller } from '../kernel/caller.ts';
import { Failure } from '../kernel/failure.ts';
import { codePoints, EmailAddress, Id, nameLimit, text } from '../kernel/fields.ts';
import { fullName } from '../organizations/user.ts';
import type { Stage } from '../pipelines/pipeline.ts';
import type { StagePlace } from '../pipelines/stages.ts';
import type { Timestamp } from '../time.ts';
import { PhoneNumber } from './phone-numbers.ts';

/** Numbers, assignees and tags of one contact: each files or locks something in the same transaction. */
export const contactLimits = {
  phoneNumbers: 10,
  assignees: 10,
  tags: 50,
  customFields: 50,
  customFieldBytes: 16 * 1024,
};

const phoneNumberOut = z.object({ value: z.string(), label: z.string(), isPrimary: z.boolean() });

/** A contact as answered. Source: specification, "Contact"; decisions 6, "Record". */
export const Contact = z
  .object({
    _id: z.string(),
    organizationId: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    fullName: z.string(),
    email: z.string().nullable(),
    phoneNumbers: z.array(phoneNumberOut),
    source: z.string().nullable(),
    pipelineId: z.string(),
    stageId: z.string(),
    stage: z.string().describe("The stage's name."),
    createdBy: z.string(),
    owner: z.string().nullable(),
    assignees: z.array(z.string()).describe('Ids of users.'),
    customFields: z.record(z.string(), z.unknown()),
    tags: z.array(z.string()),
    isBulkImport: z.boolean(),
    lastMessageAt: z.string().nullable(),
    lastMessageDirection: z.enum(['inbound', 'outbound']).nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'Contact' });
export type Contact = z.infer<typeof Contact>;

/** A contact as stored: without what follows from the rest. */
export interface StoredContact extends Omit<Contact, 'fullName' | 'stage'> {
  /** Assignees of the contact's conversations, for the board's `assignee` filter. */
  conversationAssignees: string[];
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** What a client may say of a contact. A key that is absent stays as it is; `null` clears. */
export const ContactFields = z.object({
  firstName: text(nameLimit).optional(),
  lastName: text(nameLimit).optional(),
  email: EmailAddress.nullable().optional(),
  phoneNumbers: z
    .array(
      z.object({
        value: PhoneNumber,
        label: text(nameLimit).default(''),
        isPrimary: z.boolean().default(false),
      }),
    )
    .max(contactLimits.phoneNumbers)
    .refine(
      (numbers) => new Set(numbers.map(({ value }) => value)).size === numbers.length,
      'must not hold a number twice',
    )
    .optional()
    .describe('Unique within the organization. The first is the primary one unless another says so.'),
  source: text(nameLimit).nullable().optional(),
  owner: Id.nullable().optional().describe('A user; the caller when absent at creation, nobody when null.'),
  assignees: z.array(Id).max(contactLimits.assignees).optional(),
  customFields: z
    .record(z.string(), z.unknown())
    .refine((fields) => Object.keys(fields).length <= contactLimits.customFields, 'must have at most 50 keys')
    .refine(
      (fields) => Object.keys(fields).every((key) => codePoints(key) <= nameLimit),
      'must have keys of at most 200 characters',
    )
    .refine(
      (fields) => Buffer.byteLength(JSON.stringify(fields)) <= contactLimits.customFieldBytes,
      'must have at most 16 KB',
    )
    .optional()
    .describe('At most 50 keys and 16 KB of any JSON; replaced whole.'),
  tags: z.array(text(50, 1)).max(contactLimits.tags).optional(),
  isBulkImport: z.boolean().optional(),
});
export type ContactFields = z.output<typeof ContactFields>;

/** A contact of the caller's making, owned by the caller unless the fields say otherwise. */
export function newContact(
  id: string,
  { userId, organizationId }: Pick<Caller, 'userId' | 'organizationId'>,
  { pipelineId, stageId }: StagePlace,
  fields: ContactFields,
  at: Timestamp,
): StoredContact {
  const blank: StoredContact = {
    _id: id,
    organizationId,
    firstName: '',
    lastName: '',
    email: null,
    phoneNumbers: [],
    source: null,
    pipelineId,
    stageId,
    createdBy: userId,
    owner: userId,
    assignees: [],
    customFields: {},
    tags: [],
    isBulkImport: false,
    lastMessageAt: null,
    lastMessageDirection: null,
    conversationAssignees: [],
    createdAt: at,
    updatedAt: at,
  };
  return edited(blank, fields, at);
}

/**
 * The contact with the fields given in place of its own.
 * @throws a 400 `Failure` when nothing is left by which anybody could recognise it.
 */
export function edited(contact: StoredContact, fields: ContactFields, at: Timestamp): StoredContact {
  const { phoneNumbers, assignees, tags, ...rest } = fields;
  const result: StoredContact = {
    ...contact,
    ...(Object.fromEntries(
      Object.entries(rest).filter(([, value]) => value !== undefined),
    ) as Partial<StoredContact>),
    ...(phoneNumbers === undefined ? {} : { phoneNumbers: withOnePrimary(phoneNumbers) }),
    ...(assignees === undefined ? {} : { assignees: [...new Set(assignees)] }),
    ...(tags === undefined ? {} : { tags: [...new Set(tags)] }),
    updatedAt: at,
  };
  const { firstName, lastName, email } = result;
  if (firstName === '' && lastName === '' && !email && result.phoneNumbers.length === 0) {
    throw new Failure('INVALID', 'One of firstName, lastName, email and phoneNumbers is required');
  }
  return result;
}

/** True when the contact edited says what it said before. */
export function isUnchanged(before: StoredContact, after: StoredContact): boolean {
  return isDeepStrictEqual({ ...after, updatedAt: before.updatedAt }, before);
}

/** The contact in another stage. */
export function moved(
  contact: StoredContact,
  { pipelineId, stageId }: StagePlace,
  at: Timestamp,
): StoredContact {
  return { ...contact, pipelineId, stageId, updatedAt: at };
}

function withOnePrimary(numbers: StoredContact['phoneNumbers']): StoredContact['phoneNumbers'] {
  const primary = Math.max(
    0,
    numbers.findIndex(({ isPrimary }) => isPrimary),
  );
  return numbers.map((number, index) => ({ ...number, isPrimary: index === primary }));
}

/** No owner and no assignee. Source: decisions 6, "ownerFilter". */
export function isUnassigned({ owner, assignees }: StoredContact): boolean {
  return owner === null && assignees.length === 0;
}

/** The contact as answered. */
export function shown(contact: StoredContact, stage: Pick<Stage, 'name'> | undefined): Contact {
  const { conversationAssignees: _, ...rest } = contact;
  return { ...rest, fullName: fullName(contact), stage: stage?.name ?? '' };
}
