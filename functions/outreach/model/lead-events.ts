import type { StoredApplication } from '../../../shared/contact-aggregate/application.ts';
import { applicationEvent } from '../../../shared/contact-aggregate/application-events.ts';
import { type ContactState, conversationOn } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactEvent } from '../../../shared/contacts/contact-events.ts';
import { stageById } from '../../../shared/contacts/stages.ts';
import { toContactResponse } from '../../../shared/contacts/to-contact-response.ts';
import { conversationCreated } from '../../../shared/events/event-change.ts';
import type { NewEvent } from '../../../shared/events/outbox.ts';
import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import { involvedPeople } from '../../../shared/organizations/visibility.ts';
import type { LeadTarget } from './lead-target.ts';

/** The changes of a lead. */
export interface LeadChange {
  readonly isNew: boolean;
  readonly before: ContactState;
  readonly state: ContactState;
  /** The event of a contact that is new, or restored. */
  readonly creation: readonly NewEvent[];
  /** Whether fields of an existing contact changed. */
  readonly isUpdated: boolean;
  readonly newApplication: StoredApplication | undefined;
}

/** The events of a lead: those of what it changed, and the one of the lead itself, which comes last and notifies the owner. */
export function leadEvents(target: LeadTarget, change: LeadChange): NewEvent[] {
  const { before, state, creation, isUpdated, newApplication } = change;
  const { contact } = state;
  const stage = stageById(target.pipelines, contact.stageId);
  return [
    ...creation,
    ...(isUpdated ? [contactEvent('contact_updated', contact, stage, before.contact)] : []),
    ...(newApplication ? [applicationEvent(contact, undefined, newApplication)] : []),
    leadReceived(target, change),
  ];
}

/** Every accepted lead has this event, also one that changes nothing. Source: decisions 10, "Outreach lead, always heard". */
function leadReceived(
  { configuration, pipelines }: LeadTarget,
  { isNew, before, state, isUpdated, newApplication }: LeadChange,
): NewEvent {
  const { contact } = state;
  const { _id: contactId, pipelineId, stageId, owner } = contact;
  const sms = conversationOn(before, 'sms') === undefined ? conversationOn(state, 'sms') : undefined;
  const lead = {
    configurationId: configuration._id,
    isNew,
    changed: isNew || isUpdated || newApplication !== undefined,
    ...definedOnly({ applicationId: newApplication?._id }),
  };
  const brief = { contactId, pipelineId, stageId, lead };
  return {
    event: 'lead_received',
    data: { ...brief, contact: toContactResponse(contact, stageById(pipelines, stageId)) },
    brief,
    audience: { kind: 'record', people: involvedPeople(contact) },
    notify: { type: 'lead', to: owner === null ? [] : [owner] },
    change: sms && { conversation: conversationCreated(sms) },
  };
}
