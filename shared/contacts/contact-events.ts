import type { NewEvent } from '../live/outbox.ts';
import type { Stage } from '../pipelines/pipeline.ts';
import { peopleOf } from '../visibility.ts';
import { type StoredContact, toContactResponse } from './contact.ts';

/**
 * The event that tells the users who may see a contact that it was created or updated, and those who no longer may that it is
 * gone. `stage` is the contact's own.
 */
export function contactEvent(
  event: 'contact_created' | 'contact_updated',
  after: StoredContact,
  stage: Stage | undefined,
  before?: StoredContact,
): NewEvent {
  const ids = placeOf(after);
  return {
    event,
    data: { ...ids, contact: toContactResponse(after, stage) },
    brief: ids,
    audience: {
      kind: 'record',
      people: peopleOf(after),
      ...(before === undefined ? {} : { formerly: peopleOf(before) }),
    },
  };
}

/** The event that tells the users who may see a contact that it moved to this stage. */
export function contactMoved(before: StoredContact, after: StoredContact, stage: Stage): NewEvent {
  const ids = { ...placeOf(after), fromStageId: before.stageId, toStageId: after.stageId };
  return {
    event: 'contact_stage_changed',
    data: { ...ids, contact: toContactResponse(after, stage) },
    brief: ids,
    audience: { kind: 'record', people: peopleOf(after) },
  };
}

export function contactRemoved(contact: StoredContact): NewEvent {
  return {
    event: 'contact_removed',
    data: placeOf(contact),
    audience: { kind: 'record', people: peopleOf(contact) },
  };
}

function placeOf({ _id: contactId, pipelineId, stageId }: StoredContact) {
  return { contactId, pipelineId, stageId };
}
