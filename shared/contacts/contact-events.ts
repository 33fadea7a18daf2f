import type { EventName } from '../live/event.ts';
import type { NewEvent } from '../live/outbox.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { stageById } from '../pipelines/stages.ts';
import { peopleOf } from '../visibility.ts';
import { type StoredContact, shown } from './contact.ts';

/**
 * The event of a contact's change, for those who may see the contact now. Whoever could see it before and cannot any more
 * is told that it is gone.
 */
export function contactEvent(
  event: EventName,
  after: StoredContact,
  pipelines: readonly Pipeline[],
  options: { before?: StoredContact; data?: Record<string, unknown> } = {},
): NewEvent {
  const { before, data } = options;
  const ids = { contactId: after._id, pipelineId: after.pipelineId, stageId: after.stageId, ...data };
  return {
    event,
    data: { ...ids, contact: shown(after, stageById(pipelines, after.stageId)) },
    brief: ids,
    audience: {
      kind: 'record',
      people: peopleOf(after),
      ...(before === undefined ? {} : { formerly: peopleOf(before) }),
    },
  };
}

export function contactRemoved(contact: StoredContact): NewEvent {
  const { _id: contactId, pipelineId, stageId } = contact;
  return {
    event: 'contact_removed',
    data: { contactId, pipelineId, stageId },
    audience: { kind: 'record', people: peopleOf(contact) },
  };
}
