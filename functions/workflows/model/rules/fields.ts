import type { ContactState } from '../../../../shared/contact-aggregate/contact-aggregate.ts';
import { consentOf, hasOptedOut } from '../../../../shared/contacts/consent.ts';
import { primaryNumber, type StoredContact } from '../../../../shared/contacts/contact.ts';
import type { BusinessHours } from '../../../../shared/organizations/business-hours.ts';
import { openingAt } from '../../../../shared/organizations/opening.ts';
import { fullName } from '../../../../shared/organizations/user.ts';
import type { Pipeline } from '../../../../shared/pipelines/pipeline.ts';
import { stageById } from '../../../../shared/pipelines/stages.ts';
import { stepReference } from './step-reference.ts';

/** The facts that rules and placeholders take their values from. */
export interface KnownFacts {
  /** The contact with its conversations and applications; undefined once it is gone. */
  readonly state: ContactState | undefined;
  readonly pipelines: readonly Pipeline[];
  readonly hours: BusinessHours;
  /** The fields of the event that started the run, or that a filter tests. */
  readonly event: Readonly<Record<string, unknown>>;
  /** The results of earlier steps, by node: `status`, `way`, `reason`, and the ids of what they created. Only nodes that the plan names. */
  readonly steps: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Where rules and texts take their values from. */
export interface FieldSource {
  readonly facts: KnownFacts;
  readonly now: Date;
}

/** The value of a field; undefined for one that is missing, and for every field of a contact that is gone. */
export function fieldValue(field: string, { facts, now }: FieldSource): unknown {
  if (field === 'businessHours.open') {
    return openingAt(facts.hours, now).open;
  }
  if (field.startsWith('contact.')) {
    return facts.state && contactValue(field.slice('contact.'.length), facts.state.contact, facts.pipelines);
  }
  if (field.startsWith('event.')) {
    return valueAt(facts.event, field.slice('event.'.length));
  }
  const reference = stepReference(field);
  return reference && valueAt(own(facts.steps, reference.nodeId), reference.name);
}

/** Which of the sources a field needs. */
export function rootOf(field: string): 'contact' | 'event' | 'step' | 'businessHours' | undefined {
  const [root] = field.split('.', 1);
  return (['contact', 'event', 'step', 'businessHours'] as const).find((known) => known === root);
}

function contactValue(name: string, contact: StoredContact, pipelines: KnownFacts['pipelines']): unknown {
  const { customFields } = contact;
  switch (name) {
    case 'stage':
      return stageById(pipelines, contact.stageId)?.name;
    case 'pipeline':
      return pipelines.find(({ _id }) => _id === contact.pipelineId)?.name;
    case 'fullName':
      return fullName(contact);
    case 'phone':
      return primaryNumber(contact.phoneNumbers);
    case 'phoneNumbers':
      return contact.phoneNumbers.map(({ value }) => value);
    case 'optedOut':
      return hasOptedOut(contact);
    case 'consent.sms':
      return consentOf(contact).sms;
    default:
      if (isPlain(name)) {
        return contact[name];
      }
      return name.startsWith('customFields.')
        ? valueAt(customFields, name.slice('customFields.'.length))
        : valueAt(customFields, name);
  }
}

/** The fields of a contact that rules see as they are in responses. */
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

const isPlain = (name: string): name is (typeof plainFields)[number] =>
  (plainFields as readonly string[]).includes(name);

/** The value with this name, else that which its parts lead to: a name may have dots itself. */
function valueAt(source: unknown, path: string): unknown {
  const whole = own(source, path);
  return whole === undefined
    ? path.split('.').reduce<unknown>((value, part) => own(value, part), source)
    : whole;
}

function own(source: unknown, name: string): unknown {
  if (Array.isArray(source)) {
    return /^\d{1,4}$/.test(name) ? source[Number(name)] : undefined;
  }
  return typeof source === 'object' && source !== null && Object.hasOwn(source, name)
    ? (source as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
