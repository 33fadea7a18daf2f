import type { Direction } from '../conversations/conversation.ts';
import type { DueEntry } from '../events/due-entry.ts';
import { contactIdIn } from '../kernel/child-id.ts';
import { definedOnly } from '../kernel/defined-only.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { PersonalView } from '../organizations/views.ts';
import { type Involved, involvedPeople } from '../organizations/visibility.ts';
import type { Key, Range } from '../table/key.ts';
import type { MissedCallReason, missedCallOutcomes } from './missed-call.ts';

/** How a call can end. Source: decisions 8. */
export const finalStatuses = ['completed', 'no-answer', 'busy', 'failed', 'canceled', 'voicemail'] as const;
export type FinalStatus = (typeof finalStatuses)[number];

/** Source: decisions 8. */
export const callStatuses = ['initiated', 'ringing', 'answered', ...finalStatuses] as const;
export type CallStatus = (typeof callStatuses)[number];

/** The result of the text to the caller of a missed call. */
export interface MissedCallResult {
  outcome: (typeof missedCallOutcomes)[number];
  reason: MissedCallReason | 'daily_limit' | 'deleted';
  /** The text, once it is queued. */
  messageId?: string;
  /** When a scheduled text is due. */
  sendAt?: Timestamp;
}

/** A recording at its provider. */
export interface Recording {
  url: string;
  /** The provider's id, or a digest of one that is too long to be stored; absent if it sent none. Not in responses. */
  sid?: string;
  createdAt: Timestamp;
}

/** A stored call. A field without a value is absent. Source: specification, "Call"; decisions 8. */
export interface Call {
  _id: string;
  /** Name of the voice provider; `sdk` for a user without a number. */
  provider: string;
  /** The provider's id. Absent for a call between browser and phone, where it is the call's own. */
  providerCallId?: string;
  direction: Direction;
  status: CallStatus;
  /** E.164; absent on the side of a user without a number, and of a caller who withheld it. */
  from?: string;
  to?: string;
  contactId: string;
  conversationId: string;
  organizationId: string;
  /** The user whose browser it was, or whose number. */
  userId: string;
  /** The user's number. */
  providerPhoneNumber?: string;
  startTime: Timestamp;
  /** Set if, and only if, the call was answered. */
  answerTime?: Timestamp;
  /** Set if, and only if, the call has ended. */
  endTime?: Timestamp;
  /** Whole seconds from start to end. */
  duration?: number;
  recordings: Recording[];
  /** Set if, and only if, the call was missed. */
  missedCall?: MissedCallResult;
  /** The reminder to call back that this call led to; not in responses. */
  reminderId?: string;
  /** The id of the last event about the call, under its stored name: events that follow get later ids. Not in responses. */
  toldIn?: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** Whether a call was missed: inbound, over, and never answered. */
export function isMissed({ direction, answerTime, endTime }: Call): boolean {
  return direction === 'inbound' && endTime !== undefined && answerTime === undefined;
}

/** The entry that sends the text to the caller of a missed call, while it is scheduled. */
export function dueMissedCallText({ _id, organizationId, userId, missedCall }: Call): DueEntry | undefined {
  return missedCall?.outcome === 'scheduled' && missedCall.sendAt !== undefined
    ? { kind: 'missedCallText', at: missedCall.sendAt, organizationId, group: userId, id: _id }
    : undefined;
}

/** The rest of a discarded call: that it existed, and who may know. */
export interface DiscardedCall {
  _id: string;
  discardedAt: Timestamp;
  people: string[];
}

export type CallRecord = Call | DiscardedCall;

/** Whether the call was discarded. */
export function isDiscarded(record: CallRecord): record is DiscardedCall {
  return 'discardedAt' in record;
}

/** The users who may see a call: its user, and those who may see its contact while that exists. */
export function callPeople({ userId }: Pick<Call, 'userId'>, contact: Involved | undefined): string[] {
  return [...new Set([userId, ...(contact === undefined ? [] : involvedPeople(contact))])];
}

/** The call for a response, in the order of the specification. */
export function toCallResponse(call: Call) {
  const { _id, provider, providerCallId = _id, direction, status, contactId, conversationId } = call;
  const { organizationId, userId, startTime, recordings, createdAt, updatedAt } = call;
  const { from, to, providerPhoneNumber, answerTime, endTime, duration, missedCall } = call;
  return {
    ...{ _id, callId: _id, provider, providerCallId, direction, status },
    ...definedOnly({ from, to }),
    ...{ contactId, conversationId, organizationId, userId },
    ...definedOnly({ providerPhoneNumber }),
    startTime,
    ...definedOnly({ answerTime, endTime, duration }),
    recordings: recordings.map((recording) => ({ url: recording.url, createdAt: recording.createdAt })),
    ...definedOnly({ missedCall }),
    createdAt,
    updatedAt,
  };
}

/** A call, or the record that it was discarded. It remains after its contact is deleted. */
export const callKey = (id: string): Key<CallRecord> => ({ partition: ['CALL', id], sort: ['CALL'] });

/** A call in the list of all, or in its user's list. */
export const callEntryKey = (view: PersonalView, id: string): Key<Call> => ({
  partition: ['CALLS', ...view],
  sort: [id],
});

export const callEntryRange = (view: PersonalView): Range<Call> => ({ partition: ['CALLS', ...view] });

/** A call in the history of its contact. */
export const contactCallKey = (id: string): Key<Call> => ({
  partition: ['CONTACT', contactIdIn(id)],
  sort: ['VOICECALL', id],
});

export const contactCallRange = (contactId: string): Range<Call> => ({
  partition: ['CONTACT', contactId],
  under: ['VOICECALL'],
});
