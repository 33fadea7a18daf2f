import type { Contact } from '../../../../shared/contacts/contact.ts';
import type { StoredEvent } from '../../../../shared/events/outbox.ts';
import { given } from '../../../../shared/kernel/given.ts';
import type { TopicEvent } from '../definition/topics.ts';

/** The contact in an event; empty if it did not fit into the event. */
const contactIn = ({ data }: StoredEvent) => (data.contact ?? {}) as Partial<Contact>;

/** A contact was created, and perhaps opted out by the same request. */
export function createdContact(event: StoredEvent): TopicEvent[] {
  const { pipelineId, stageId } = event.data;
  const { stage, source, owner, assignees, tags, createdBy, isBulkImport, consent } = contactIn(event);
  const fields = {
    ...{ pipelineId, stageId },
    ...given({ stage, source, owner, assignees, tags, createdBy, isBulkImport }),
  };
  return [
    { topic: 'contact.created', fields },
    ...additionTopics(event),
    ...(consent?.sms === 'out' ? consentTopics('out', consent) : []),
  ];
}

/** An update of the contact itself: neither one of its applications nor of its conversations. */
export function updatedContact(event: StoredEvent): TopicEvent[] {
  const { fields: changed, consent: sms } = event.change ?? {};
  if (changed === undefined) {
    return [];
  }
  return [
    { topic: 'contact.updated', fields: { changed } },
    ...additionTopics(event),
    ...(sms === undefined ? [] : consentTopics(sms, contactIn(event).consent)),
  ];
}

/** A contact entered another stage. */
export function movedContact({ data, change }: StoredEvent): TopicEvent[] {
  const { pipelineId, stageId, fromStageId } = data;
  const { stage, fromStage } = change ?? {};
  return [
    {
      topic: 'contact.stage_changed',
      fields: { pipelineId, stageId, fromStageId, ...given({ stage, fromStage }) },
    },
  ];
}

/** The users and the tags that are new to the contact: with it, or by an update. */
function additionTopics(event: StoredEvent): TopicEvent[] {
  const { addedTags = [], assigned } = event.change ?? {};
  const { owner, assignees } = contactIn(event);
  return [
    ...(assigned === undefined
      ? []
      : [
          {
            topic: 'contact.assigned' as const,
            fields: { userId: assigned[0], userIds: assigned, ...given({ owner, assignees }) },
          },
        ]),
    ...addedTags.map((tag): TopicEvent => ({ topic: 'contact.tag_added', fields: { tag } })),
  ];
}

function consentTopics(sms: 'in' | 'out', consent: Contact['consent'] | undefined): TopicEvent[] {
  const { source, since } = consent ?? {};
  const topic = sms === 'out' ? 'contact.opted_out' : 'contact.opted_in';
  return [{ topic, fields: given({ source, since }) }];
}
