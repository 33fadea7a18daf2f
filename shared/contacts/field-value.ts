import { valueAt } from '../kernel/value-at.ts';
import { fullName } from '../organizations/user.ts';
import { hasOptedOut, toConsent } from './consent.ts';
import { primaryNumber, type StoredContact } from './contact.ts';
import type { Pipeline } from './pipeline.ts';
import { stageById } from './stages.ts';

/** A contact whose fields are named, with the pipelines that have the names of its stage and pipeline. */
export interface FieldsOfContact {
  readonly contact: StoredContact;
  readonly pipelines: readonly Pipeline[];
}

/** The fields of a contact that rules and texts see as they are in responses. */
export const plainFields = [
  '_id',
  'firstName',
  'lastName',
  'email',
  'source',
  'pipelineId',
  'stageId',
  'createdBy',
  'owner',
  'assignees',
  'tags',
  'isBulkImport',
  'lastMessageAt',
  'lastMessageDirection',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof StoredContact)[];

/** The further ones, each derived from the contact. */
const derivedFields: Readonly<Record<string, (known: FieldsOfContact) => unknown>> = {
  stage: ({ contact, pipelines }) => stageById(pipelines, contact.stageId)?.name,
  pipeline: ({ contact, pipelines }) => pipelines.find(({ _id }) => _id === contact.pipelineId)?.name,
  fullName: ({ contact }) => fullName(contact),
  phone: ({ contact }) => primaryNumber(contact.phoneNumbers),
  phoneNumbers: ({ contact }) => contact.phoneNumbers.map(({ value }) => value),
  optedOut: ({ contact }) => hasOptedOut(contact),
  'consent.sms': ({ contact }) => toConsent(contact).sms,
};

/** The names after `contact.` that every contact has; any other is that of a custom field. */
export const contactFields: readonly string[] = [...plainFields, ...Object.keys(derivedFields)];

/**
 * The value of the field that `contact.<name>` names: one of `contactFields`, `customFields.<name>`, or the name of a custom field. Undefined
 * where it is missing.
 */
export function contactFieldValue(name: string, known: FieldsOfContact): unknown {
  const { contact } = known;
  if (isPlain(name)) {
    return contact[name];
  }
  if (Object.hasOwn(derivedFields, name)) {
    return derivedFields[name]?.(known);
  }
  return valueAt(contact.customFields, name.replace(/^customFields\./, ''));
}

const isPlain = (name: string): name is (typeof plainFields)[number] =>
  (plainFields as readonly string[]).includes(name);
