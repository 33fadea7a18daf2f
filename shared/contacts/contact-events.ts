import { isDeepStrictEqual } from 'node:util';
import type { Audience, NewEvent } from '../events/outbox.ts';
import { involvedPeople } from '../organizations/visibility.ts';
import type { StoredContact } from './contact.ts';
import { contactAdditions, contactChange } from './contact-change.ts';
import type { Stage } from './pipeline.ts';
import { toContactResponse } from './to-contact-response.ts';

/**
 * The event that tells the users who may see a contact that it was created or updated, and those who no longer may that it is
 * gone. `stage` is the contact's own, and `before` the contact before an update.
 */
export function contactEvent(
  event: 'contact_created' | 'contact_updated',
  after: StoredContact,
  stage: Stage | undefined,
  before?: StoredContact,
): NewEvent {
  const ids = stageRefOf(after);
  const people = involvedPeople(after);
  const formerly = before === undefined ? people : involvedPeople(before);
  return {
    event,
    data: { ...ids, contact: toContactResponse(after, stage) },
    brief: ids,
    audience: {
      kind: 'record',
      people,
      ...(isDeepStrictEqual(people, formerly) ? {} : { formerly }),
    },
    change: before === undefined ? contactAdditions(before, after) : contactChange(before, after),
  };
}

/** The event that tells the users who may see a contact that it moved to this stage, from one of this name. */
export function contactMoved(
  before: StoredContact,
  after: StoredContact,
  stage: Stage,
  fromStage: string,
): NewEvent {
  const ids = { ...stageRefOf(after), fromStageId: before.stageId, toStageId: after.stageId };
  return {
    event: 'contact_stage_changed',
    data: { ...ids, contact: toContactResponse(after, stage) },
    brief: ids,
    audience: audienceOf(after),
    change: { fromStage, stage: stage.name },
  };
}

/** The event that tells the users who may see a contact that it was archived. */
export function contactArchived(contact: StoredContact): NewEvent {
  return { event: 'contact_archived', data: stageRefOf(contact), audience: audienceOf(contact) };
}

/** The event that tells the users who may see a contact that it is archived no longer. `stage` is its own, if known. */
export function contactRestored(contact: StoredContact, stage?: Stage): NewEvent {
  const ids = stageRefOf(contact);
  return {
    event: 'contact_restored',
    data: { ...ids, ...(stage && { contact: toContactResponse(contact, stage) }) },
    brief: ids,
    audience: audienceOf(contact),
  };
}

/**
 * The event that tells those who may see a contact that another one was merged into it, and those who saw only that one that it is gone.
 * `stage` is the contact's own.
 */
export function contactMerged(after: StoredContact, from: StoredContact, stage: Stage | undefined): NewEvent {
  const ids = { ...stageRefOf(after), mergedContactId: from._id };
  return {
    event: 'contact_merged',
    data: { ...ids, contact: toContactResponse(after, stage) },
    brief: ids,
    audience: { kind: 'record', people: involvedPeople(after), formerly: involvedPeople(from) },
  };
}

/** The event of a deletion, for those who could see the contact. */
export function contactRemoved(contact: StoredContact): NewEvent {
  return {
    event: 'contact_removed',
    data: stageRefOf(contact),
    audience: audienceOf(contact),
  };
}

function audienceOf(contact: StoredContact): Audience {
  return { kind: 'record', people: involvedPeople(contact) };
}

function stageRefOf({ _id: contactId, pipelineId, stageId }: StoredContact) {
  return { contactId, pipelineId, stageId };
}
