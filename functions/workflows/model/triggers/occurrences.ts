import type { EventName, StoredEvent } from '../../../../shared/events/outbox.ts';
import { given } from '../../../../shared/kernel/given.ts';
import type { Occurrence, Topic, TopicEvent } from '../definition/topics.ts';
import { applicationTopics } from './application-topics.ts';
import { callTopics } from './call-topics.ts';
import { createdContact, movedContact, updatedContact } from './contact-topics.ts';
import { conversationTopics } from './conversation-topics.ts';
import { leadTopics } from './lead-topics.ts';
import { createdMessage, updatedMessage } from './message-topics.ts';

/** The topics of each event; events that are missing have none. */
const topicsByEvent: { readonly [Name in EventName]?: (event: StoredEvent) => readonly TopicEvent[] } = {
  contact_created: createdContact,
  contact_updated: (event) => [...updatedContact(event), ...applicationTopics(event)],
  contact_stage_changed: movedContact,
  lead_received: leadTopics,
  contact_removed: () => [{ topic: 'contact.deleted', fields: {} }],
  message_created: createdMessage,
  message_updated: updatedMessage,
  call_initiated: (event) => callTopics('call.initiated', event),
  call_answered: (event) => callTopics('call.answered', event),
  call_ended: (event) => callTopics('call.ended', event),
  call_missed: (event) => callTopics('call.missed', event),
  note_created: ({ data: { noteId, userId, note, mentions } }) => [
    { topic: 'note.created', fields: given({ noteId, userId, note, mentions }) },
  ],
  notification_created: notified,
  workflow_run_updated: failedRun,
};

/**
 * What an event tells workflows, in the order in which it happened: a contact is created before its application. Each delivery of an event
 * gives the same.
 */
export function occurrencesOf(event: StoredEvent): Occurrence[] {
  const { id, at, data, audience, causedBy } = event;
  const { contactId } = data;
  if (typeof contactId !== 'string') {
    return [];
  }
  const topics = [...(topicsByEvent[event.event]?.(event) ?? []), ...conversationTopics(event)];
  const people = audience.kind === 'record' ? audience.people : [];
  const counts = new Map<Topic, number>();
  return topics.map(({ topic, fields }) => {
    const count = counts.get(topic) ?? 0;
    counts.set(topic, count + 1);
    return {
      topic,
      eventId: count === 0 ? id : `${id}-${count}`,
      ...{ at, contactId, people },
      fields: { contactId, at, ...fields },
      ...given({ causedBy }),
    };
  });
}

/** A run of the contact that failed. */
function failedRun({ data, change }: StoredEvent): TopicEvent[] {
  const { workflowId, runId } = data;
  return change?.run === undefined
    ? []
    : [{ topic: 'run.failed', fields: { workflowId, runId, ...change.run } }];
}

/** Mentions and reminders have no event but the one of their notification. */
function notified({ data, change }: StoredEvent): TopicEvent[] {
  const { noteId, reminderId } = data;
  if (change?.mention !== undefined) {
    return [{ topic: 'note.mentioned', fields: given({ noteId, ...change.mention }) }];
  }
  const { message } = (data.notification ?? {}) as { message?: unknown };
  const { userId } = change?.reminder ?? {};
  return userId === undefined
    ? []
    : [{ topic: 'reminder.due', fields: given({ reminderId, userId, note: message }) }];
}
