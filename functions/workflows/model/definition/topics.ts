import type { Cause } from '../../../../shared/events/outbox.ts';
import type { Timestamp } from '../../../../shared/kernel/time.ts';

/** The kinds of events that can start a run, end its wait or end the run itself. */
export const topics = [
  'contact.created',
  'contact.updated',
  'contact.merged',
  'contact.deleted',
  'contact.stage_changed',
  'contact.assigned',
  'contact.tag_added',
  'contact.opted_out',
  'contact.opted_in',
  'application.created',
  'application.stage_changed',
  'application.deleted',
  'conversation.created',
  'conversation.assigned',
  'conversation.resolved',
  'conversation.reopened',
  'message.received',
  'message.sent',
  'message.delivered',
  'message.failed',
  'call.initiated',
  'call.answered',
  'call.ended',
  'call.missed',
  'note.created',
  'note.mentioned',
  'reminder.due',
  'lead.received',
  'run.failed',
  'manual.started',
] as const;

export type Topic = (typeof topics)[number];

/** One thing that happened, as workflows see it. One stored event may tell of several. */
export interface Occurrence {
  readonly topic: Topic;
  /**
   * Identifies it among all of the organization and topic, also when it is delivered again: the id of its stored event, with a number if
   * that tells of several of the topic.
   */
  readonly eventId: string;
  /** When it happened. */
  readonly at: Timestamp;
  /** The contact it is about. For `contact.deleted` the contact is gone already. */
  readonly contactId: string;
  /** The users who are involved in the record, for the visibility rule; the contact's own where that exists. */
  readonly people: readonly string[];
  /** The fields that `event.…` names, as the catalogue lists them. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The run that caused it, if one did. */
  readonly causedBy?: Cause;
  /** The job that it is a part of, if it is of one. */
  readonly jobId?: string;
  /** No trigger starts by it. */
  readonly startsNoRuns?: true;
}

/** The meaning of a stored event to workflows, before it is known to be about a contact. */
export type TopicEvent = Pick<Occurrence, 'topic' | 'fields'>;
