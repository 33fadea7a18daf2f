import type { Call } from '../../../../shared/calls/call.ts';
import { type Contact, primaryNumber } from '../../../../shared/contacts/contact.ts';
import type { Message, MessageStatus } from '../../../../shared/conversations/conversation.ts';
import type { EventName, StoredEvent } from '../../../../shared/events/outbox.ts';
import { definedOnly } from '../../../../shared/kernel/defined-only.ts';
import type { EventData } from '../../../../shared/notifications/event-schemas.ts';
import type { Occurrence, Topic, TopicEvent } from '../definition/topics.ts';

/** The topics of each event; events that are missing have none. */
const topicsByEvent: { readonly [Name in EventName]?: (event: StoredEvent) => readonly TopicEvent[] } = {
  contact_created: createdContact,
  contact_updated: (event) => [...updatedContact(event), ...applicationTopics(event)],
  contact_stage_changed: movedContact,
  lead_received: leadTopics,
  contact_merged: ({ data: { mergedContactId } }) => [
    { topic: 'contact.merged', fields: definedOnly({ mergedContactId }) },
  ],
  contact_removed: () => [{ topic: 'contact.deleted', fields: {} }],
  message_created: createdMessage,
  message_updated: updatedMessage,
  call_initiated: (event) => callTopics('call.initiated', event),
  call_answered: (event) => callTopics('call.answered', event),
  call_ended: (event) => callTopics('call.ended', event),
  call_missed: (event) => callTopics('call.missed', event),
  note_created: ({ data: { noteId, userId, note, mentions } }) => [
    { topic: 'note.created', fields: definedOnly({ noteId, userId, note, mentions }) },
  ],
  notification_created: notified,
  workflow_run_updated: failedRun,
};

/**
 * The occurrences of an event, in the order in which they happened: a contact is created before its application. Each delivery of an event
 * gives the same.
 */
export function occurrencesIn(event: StoredEvent): Occurrence[] {
  const { id, at, data, audience, causedBy, jobId, startsNoRuns } = event;
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
      ...definedOnly({ causedBy, jobId, startsNoRuns }),
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
    return [{ topic: 'note.mentioned', fields: definedOnly({ noteId, ...change.mention }) }];
  }
  const { message } = (data.notification ?? {}) as { message?: unknown };
  const { userId } = change?.reminder ?? {};
  return userId === undefined
    ? []
    : [{ topic: 'reminder.due', fields: definedOnly({ reminderId, userId, note: message }) }];
}

/** The contact in an event; empty if it did not fit into the event. */
const contactIn = ({ data }: StoredEvent) => (data.contact ?? {}) as Partial<Contact>;

/** A contact was created, and perhaps opted out by the same request. */
function createdContact(event: StoredEvent): TopicEvent[] {
  const { pipelineId, stageId } = event.data;
  const { stage, source, owner, assignees, tags, createdBy, isBulkImport, consent } = contactIn(event);
  const fields = {
    ...{ pipelineId, stageId },
    ...definedOnly({ stage, source, owner, assignees, tags, createdBy, isBulkImport }),
  };
  return [
    { topic: 'contact.created', fields },
    ...additionTopics(event),
    ...(consent?.sms === 'out' ? consentTopics('out', consent) : []),
  ];
}

/** An update of the contact itself: neither one of its applications nor of its conversations. */
function updatedContact(event: StoredEvent): TopicEvent[] {
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
function movedContact({ data, change }: StoredEvent): TopicEvent[] {
  const { pipelineId, stageId, fromStageId } = data;
  const { stage, fromStage } = change ?? {};
  return [
    {
      topic: 'contact.stage_changed',
      fields: { pipelineId, stageId, fromStageId, ...definedOnly({ stage, fromStage }) },
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
            fields: { userId: assigned[0], userIds: assigned, ...definedOnly({ owner, assignees }) },
          },
        ]),
    ...addedTags.map((tag): TopicEvent => ({ topic: 'contact.tag_added', fields: { tag } })),
  ];
}

function consentTopics(sms: 'in' | 'out', consent: Contact['consent'] | undefined): TopicEvent[] {
  const { source, since } = consent ?? {};
  const topic = sms === 'out' ? 'contact.opted_out' : 'contact.opted_in';
  return [{ topic, fields: definedOnly({ source, since }) }];
}

const topics = {
  created: 'application.created',
  moved: 'application.stage_changed',
  deleted: 'application.deleted',
} as const;

/** The topics of an application's change: the edit of its fields has none. */
function applicationTopics({ data, change }: StoredEvent): TopicEvent[] {
  const { transition, name } = change?.application ?? {};
  if (transition === undefined || transition === 'edited') {
    return [];
  }
  const { applicationId, fromApplicationStageId } = data;
  const { pipelineId, stageId, customFields } = (data.application ?? {}) as Record<string, unknown>;
  const fromStageId = transition === 'created' ? undefined : fromApplicationStageId;
  return [
    {
      topic: topics[transition],
      fields: {
        ...{ applicationId, name },
        ...definedOnly({ pipelineId, stageId, stage: change?.stage, customFields }),
        ...definedOnly({ fromStageId, fromStage: change?.fromStage }),
      },
    },
  ];
}

/** The topics of a conversation's change, in its own event or in that of a message, a call or a lead. */
function conversationTopics({ change }: StoredEvent): TopicEvent[] {
  const { _id: conversationId, channel, transitions = [], assigned } = change?.conversation ?? {};
  return transitions.map((transition) => ({
    topic: `conversation.${transition}`,
    fields: {
      ...{ conversationId, channel },
      ...(transition === 'created' || transition === 'assigned'
        ? definedOnly({ userId: assigned?.[0], userIds: assigned })
        : {}),
    },
  }));
}

/** A message that came in. One that goes out has topics once it moves on. */
function createdMessage(event: StoredEvent): TopicEvent[] {
  return event.change?.message?.direction === 'inbound'
    ? [{ topic: 'message.received', fields: fieldsOf(event) }]
    : [];
}

/** A report may overtake the one before it, so that one move may be several. */
function updatedMessage(event: StoredEvent): TopicEvent[] {
  const { status, was } = event.change?.message ?? {};
  return topicsOf(status, was).map((topic) => ({ topic, fields: fieldsOf(event) }));
}

function topicsOf(status: MessageStatus | undefined, was: MessageStatus | undefined): Topic[] {
  const sent = was === 'queued' ? (['message.sent'] as const) : [];
  switch (status) {
    case 'sent':
      return ['message.sent'];
    case 'delivered':
      return [...sent, 'message.delivered'];
    case 'read':
      return [...sent, ...(was === 'delivered' ? [] : (['message.delivered'] as const))];
    case 'failed':
    case 'undelivered':
      return ['message.failed'];
    default:
      return [];
  }
}

function fieldsOf({ data, change }: StoredEvent) {
  const { messageId, conversationId } = data;
  const { direction, status, from, to } = change?.message ?? {};
  const { content, channel, sentBy, attachments, failure } = (data.message ?? {}) as Partial<Message>;
  const { code, reason } = typeof failure === 'object' && failure !== null ? failure : {};
  return {
    ...{ messageId, conversationId },
    ...definedOnly({ direction, status, channel, text: content, from, to }),
    ...definedOnly({ userId: sentBy ?? undefined, attachments: attachments?.length, code, reason }),
  };
}

type CallTopic = Extract<TopicEvent['topic'], `call.${string}`>;

/** A call that began, was answered, ended or was missed. An event too large for its frame has ids alone. */
function callTopics(topic: CallTopic, { data }: StoredEvent): TopicEvent[] {
  const { callId, conversationId } = data;
  const { direction, status, from, to, userId, provider, duration, missedCall } = (data.call ??
    {}) as Partial<Call>;
  return [
    {
      topic,
      fields: {
        ...{ callId, conversationId },
        ...definedOnly({ direction, status, from, to, userId, provider, duration }),
        ...(topic === 'call.missed'
          ? definedOnly({ textOutcome: missedCall?.outcome, textReason: missedCall?.reason })
          : {}),
      },
    },
  ];
}

/** A lead, from somebody new or known. An event too large for its frame says nothing of the contact. */
function leadTopics({ data }: StoredEvent): TopicEvent[] {
  const { firstName, lastName, email, phoneNumbers, source, owner, customFields } = (data.contact ??
    {}) as Partial<Contact>;
  const phone = phoneNumbers && primaryNumber(phoneNumbers);
  return [
    {
      topic: 'lead.received',
      fields: {
        ...(data.lead as EventData['lead_received']['lead']),
        ...definedOnly({ firstName, lastName, email, phone, source, owner, customFields }),
      },
    },
  ];
}
