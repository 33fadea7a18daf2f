import type * as z from 'zod/mini';
import type { Call } from '../../../../shared/calls/call.ts';
import type { StoredApplication } from '../../../../shared/contact-aggregate/application.ts';
import type { TimelineChange, TimelineRefs } from '../../../../shared/contacts/timeline-change.ts';
import type { Message } from '../../../../shared/conversations/conversation.ts';
import type { ActorResponse } from '../../../../shared/kernel/schemas/actor-response.ts';
import type { Timestamp } from '../../../../shared/kernel/time.ts';
import type { StoredNote } from '../../../../shared/notes/note.ts';
import type { Reminder } from '../../../../shared/notes/reminder.ts';
import { applicationWords, callWords, changeWords, messageWords, noteWords, reminderWords } from './words.ts';

/** What a timeline tells of, with the group of the documentation whose records it shows. Source: integrations 1. */
export const timelineGroups = {
  created: 'Contacts',
  updated: 'Contacts',
  stage_changed: 'Contacts',
  assigned: 'Contacts',
  note: 'Contact Notes',
  message: 'Messages',
  call: 'Calls',
  application: 'Applications',
  reminder: 'Reminders',
  workflow_step: 'Workflows',
  lead: 'Outreach',
  consent: 'Contacts',
  merged: 'Contacts',
  archived: 'Contacts',
  restored: 'Contacts',
} as const;

export type TimelineType = keyof typeof timelineGroups;

export const timelineTypes = Object.keys(timelineGroups) as TimelineType[];

/** Who did something, as far as its record tells. */
export type Doer = z.input<typeof ActorResponse>;

/** The names of the people and programs of an entry. */
export interface Names {
  /** The subject of the sentence. */
  readonly who: string;
  userName(userId: string): string;
}

/** An entry of a timeline before the names in it are known. */
export interface TimelineEntry {
  /** Its place in the timeline: entries are in the order of their ids, which begin with their time. */
  readonly _id: string;
  readonly type: TimelineType;
  readonly at: Timestamp;
  readonly actor: Doer;
  readonly refs: TimelineRefs;
  /** Users that the sentence names beside the actor. */
  readonly named: readonly string[];
  /** One sentence. */
  sentence(names: Names): string;
}

export function noteEntry(note: StoredNote): TimelineEntry {
  const { _id, createdAt: at, userId } = note;
  return {
    ...{ _id, type: 'note', at, actor: { type: 'user', id: userId }, refs: { noteId: _id }, named: [] },
    sentence: ({ who }) => noteWords(note, who),
  };
}

export function messageEntry(message: Message): TimelineEntry {
  const { _id, createdAt: at, conversationId } = message;
  return {
    ...{ _id, type: 'message', at, actor: messageDoer(message), named: [] },
    refs: { messageId: _id, conversationId },
    sentence: ({ who }) => messageWords(message, who),
  };
}

function messageDoer({ direction, sentBy, causedBy }: Message): Doer {
  if (direction === 'inbound') {
    return { type: 'provider' };
  }
  if (causedBy !== undefined) {
    return { type: 'workflow', id: causedBy.runId, workflowId: causedBy.workflowId };
  }
  return sentBy === null ? { type: 'system' } : { type: 'user', id: sentBy };
}

export function callEntry(call: Call): TimelineEntry {
  const { _id, createdAt: at, conversationId, userId, direction, provider } = call;
  const isReported = direction === 'inbound' && provider !== 'sdk';
  return {
    ...{ _id, type: 'call', at, refs: { callId: _id, conversationId }, named: [userId] },
    actor: isReported ? { type: 'provider', id: provider, name: provider } : { type: 'user', id: userId },
    sentence: ({ userName }) => callWords(call, userName(userId)),
  };
}

export function applicationEntry(application: StoredApplication): TimelineEntry {
  const { _id, createdAt: at, userId, name } = application;
  return {
    ...{ _id, type: 'application', at, refs: { applicationId: _id }, named: [] },
    actor: { type: 'user', id: userId },
    sentence: ({ who }) => applicationWords(name, who),
  };
}

export function reminderEntry(reminder: Reminder): TimelineEntry {
  const { _id, createdAt: at, createdBy } = reminder;
  return {
    ...{ _id, type: 'reminder', at, refs: { reminderId: _id }, named: [] },
    actor: { type: 'user', id: createdBy },
    sentence: ({ who }) => reminderWords(reminder, who),
  };
}

export function changeEntry(change: TimelineChange): TimelineEntry {
  const { _id, type, at, actor, refs, details } = change;
  return {
    ...{ _id, type, at, actor, refs, named: details.assigned ?? [] },
    sentence: (names) => changeWords(change, names),
  };
}
