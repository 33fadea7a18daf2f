import type { Direction } from '../conversations/conversation.ts';
import { Failure } from '../kernel/failure.ts';
import { second, type Timestamp, timestamp } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';
import type { PersonalView } from '../views.ts';
import { type Involved, peopleOf } from '../visibility.ts';

/** How a call can end. Source: decisions 8. */
export const finalStatuses = ['completed', 'no-answer', 'busy', 'failed', 'canceled', 'voicemail'] as const;
export type FinalStatus = (typeof finalStatuses)[number];

/** Source: decisions 8. */
export const callStatuses = ['initiated', 'ringing', 'answered', ...finalStatuses] as const;
export type CallStatus = (typeof callStatuses)[number];

/** A stored call. Its id is also the provider's, because both ends are the browser's own. Source: specification, "Call". */
export interface Call {
  _id: string;
  /** Name of the voice provider; `sdk` for a user without a number. */
  provider: string;
  direction: Direction;
  status: CallStatus;
  /** E.164; null on the side of a user without a number. */
  from: string | null;
  to: string | null;
  contactId: string;
  conversationId: string;
  organizationId: string;
  /** The user whose browser it was. */
  userId: string;
  /** The user's number; null for a user without one. */
  providerPhoneNumber: string | null;
  startTime: Timestamp;
  /** Null until the call is answered. */
  answerTime: Timestamp | null;
  /** Null until the call ends. */
  endTime: Timestamp | null;
  /** Whole seconds from start to end; null until the call ends. */
  duration: number | null;
  recordings: unknown[];
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** The remainder of a discarded call: that it existed, and who may know. */
export interface DiscardedCall {
  _id: string;
  discardedAt: Timestamp;
  people: string[];
}

export type CallRecord = Call | DiscardedCall;

export function isDiscarded(record: CallRecord): record is DiscardedCall {
  return 'discardedAt' in record;
}

/** The users who may see a call: its user, and those who may see its contact while that exists. */
export function callPeople({ userId }: Pick<Call, 'userId'>, contact: Involved | undefined): string[] {
  return [...new Set([userId, ...(contact === undefined ? [] : peopleOf(contact))])];
}

/** The two sides of a new call; `own` is the user's number, if there is one. */
interface Beginning
  extends Pick<
    Call,
    '_id' | 'provider' | 'direction' | 'contactId' | 'conversationId' | 'organizationId' | 'userId'
  > {
  /** The counterparty's number, E.164. */
  readonly number: string;
  readonly own: string | null;
}

/** A call that starts now: an inbound one is answered when it is recorded, an outbound one is not yet. */
export function startedCall(
  { _id, provider, direction, number, own, ...between }: Beginning,
  at: Timestamp,
): Call {
  const isInbound = direction === 'inbound';
  return {
    _id,
    provider,
    direction,
    status: isInbound ? 'answered' : 'initiated',
    from: isInbound ? number : own,
    to: isInbound ? own : number,
    contactId: between.contactId,
    conversationId: between.conversationId,
    organizationId: between.organizationId,
    userId: between.userId,
    providerPhoneNumber: own,
    startTime: at,
    answerTime: isInbound ? at : null,
    endTime: null,
    duration: null,
    recordings: [],
    createdAt: at,
    updatedAt: at,
  };
}

/**
 * The call after it ended. Ending it again in the same way changes nothing.
 * @throws a 409 `Failure` for a call that ended in another way: a status only goes forward.
 */
export function ended(call: Call, status: FinalStatus, now: Date): Call {
  if (call.status === status) {
    return call;
  }
  if (call.endTime !== null) {
    throw new Failure('CONFLICT', `The call has already ended, with the status ${call.status}.`);
  }
  // Clocks of processes differ a little: no call may end before it starts.
  const lasted = Math.max(0, now.getTime() - Date.parse(call.startTime));
  return {
    ...call,
    status,
    endTime: timestamp(new Date(Date.parse(call.startTime) + lasted)),
    duration: Math.floor(lasted / second),
    updatedAt: timestamp(now),
  };
}

/** The call with the ids that follow from its own, in the order of the specification. */
export function toCallResponse({ _id, provider, ...rest }: Call) {
  return { _id, callId: _id, provider, providerCallId: _id, ...rest };
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
export const contactCallKey = (contactId: string, id: string): Key<Call> => ({
  partition: ['CONTACT', contactId],
  sort: ['VOICECALL', id],
});

export const contactCallRange = (contactId: string): Range<Call> => ({
  partition: ['CONTACT', contactId],
  under: ['VOICECALL'],
});
