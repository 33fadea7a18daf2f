import type { ContactState } from '../../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactFieldValue, type FieldsOfContact } from '../../../../shared/contacts/field-value.ts';
import type { Pipeline } from '../../../../shared/contacts/pipeline.ts';
import { own, valueAt } from '../../../../shared/kernel/value-at.ts';
import type { BusinessHours } from '../../../../shared/organizations/business-hours.ts';
import { openingAt } from '../../../../shared/organizations/opening.ts';
import { stepReference } from '../definition/named-fields.ts';

/** The context that rules and placeholders take their values from. */
export interface FieldContext {
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
  readonly context: FieldContext;
  readonly now: Date;
}

/** The value of a field; undefined for one that is missing, and for every field of a contact that is gone. */
export function fieldValue(field: string, { context, now }: FieldSource): unknown {
  if (field === 'businessHours.open') {
    return openingAt(context.hours, now).open;
  }
  if (field.startsWith('contact.')) {
    const contact = contactIn(context);
    return contact && contactFieldValue(field.slice('contact.'.length), contact);
  }
  if (field.startsWith('event.')) {
    return valueAt(context.event, field.slice('event.'.length));
  }
  const reference = stepReference(field);
  return reference && valueAt(own(context.steps, reference.nodeId), reference.name);
}

/** The contact, as its fields are read; undefined once it is gone. */
export function contactIn({ state, pipelines }: FieldContext): FieldsOfContact | undefined {
  return state && { contact: state.contact, pipelines };
}

/** Which of the sources a field needs. */
export function fieldRoot(field: string): 'contact' | 'event' | 'step' | 'businessHours' | undefined {
  const [root] = field.split('.', 1);
  return (['contact', 'event', 'step', 'businessHours'] as const).find((known) => known === root);
}
