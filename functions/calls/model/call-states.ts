import { type Call, type CallStatus, type FinalStatus, finalStatuses } from '../../../shared/calls/call.ts';
import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { after, second, type Timestamp, timestamp } from '../../../shared/kernel/time.ts';

/** The two sides of a new call; `own` is the user's number, if there is one. */
export interface NewCall
  extends Pick<
    Call,
    | '_id'
    | 'provider'
    | 'providerCallId'
    | 'direction'
    | 'contactId'
    | 'conversationId'
    | 'organizationId'
    | 'userId'
  > {
  /** The counterparty's number, E.164; undefined if it was withheld. */
  readonly number: string | undefined;
  readonly own: string | undefined;
}

/** A call that begins, recorded at `at`. */
export function newCall({ number, own, ...between }: NewCall, start: Date, at: Date = start): Call {
  const [from, to] = between.direction === 'inbound' ? [number, own] : [own, number];
  return {
    ...between,
    status: 'initiated',
    ...definedOnly({ from, to, providerPhoneNumber: own }),
    startTime: timestamp(start),
    recordings: [],
    createdAt: timestamp(at),
    updatedAt: timestamp(at),
  };
}

/** Between browser and phone: an inbound call is answered when it is recorded, an outbound one is not yet. */
export function startedCall(beginning: NewCall, at: Date): Call {
  const call = newCall(beginning, at);
  return call.direction === 'inbound' ? withAnswer(call, at) : call;
}

/**
 * The call after its user answered; the same if it was answered before.
 * @throws a 409 `Failure` for a call that has ended.
 */
export function answered(call: Call, now: Date): Call {
  if (call.endTime !== undefined) {
    throw new Failure('CONFLICT', `The call has already ended, with the status ${call.status}.`);
  }
  return call.status === 'answered' ? call : withAnswer(call, now);
}

/** How a call can end that was answered. Source: decisions 8. */
const endingsOfAnswered: readonly CallStatus[] = ['completed', 'failed', 'voicemail'];

/**
 * The call after its user ended it. Ending it again in the same way changes nothing. A user completes an inbound call only after
 * speaking to the caller, so it was answered; a user can complete an outbound call that nobody answered.
 * @throws a 409 `Failure` for a call that ended in another way, or that was answered and so cannot end like this.
 */
export function ended(call: Call, status: FinalStatus, now: Date): Call {
  if (call.status === status) {
    return call;
  }
  if (call.endTime !== undefined) {
    throw new Failure('CONFLICT', `The call has already ended, with the status ${call.status}.`);
  }
  if (call.answerTime !== undefined && !endingsOfAnswered.includes(status)) {
    throw new Failure(
      'CONFLICT',
      `The call was answered, so it cannot end as ${status}, only as completed, failed or voicemail.`,
    );
  }
  const isSpoken = call.direction === 'inbound' && call.answerTime === undefined && status === 'completed';
  return withEnd(isSpoken ? withAnswer(call, now) : call, status, now);
}

/** A provider's report of a call. */
export interface Report {
  readonly status: CallStatus;
  /** When it was received. */
  readonly at: Date;
  /** Seconds from answer to end, of a call that was answered. */
  readonly seconds: number | undefined;
}

/** How far a call has come: a report of nothing further is late or repeated. */
function progressOf(status: CallStatus): number {
  const stages: readonly CallStatus[] = ['initiated', 'ringing', 'answered'];
  return isFinal(status) ? stages.length : stages.indexOf(status);
}

/** Whether the call is over: nothing but its recordings changes any more. */
export function isFinal(status: CallStatus): status is FinalStatus {
  return (finalStatuses as readonly CallStatus[]).includes(status);
}

/**
 * The call after a provider's report; the same if the report is late or repeated. A call that the provider completed was answered,
 * even if that report is late or lost. If the provider reports an end that cannot follow an answer, an answered call is completed.
 */
export function reported(call: Call, { status, at, seconds }: Report): Call {
  if (progressOf(status) <= progressOf(call.status)) {
    return call;
  }
  if (!isFinal(status)) {
    return status === 'answered' ? withAnswer(call, at) : { ...call, status, updatedAt: timestamp(at) };
  }
  if (call.answerTime !== undefined) {
    return withEnd(call, endingsOfAnswered.includes(status) ? status : 'completed', at);
  }
  return status === 'completed'
    ? withEnd(withAnswer(call, beforeEnd(at, seconds)), status, at)
    : withEnd(call, status, at);
}

/** A call of which a provider reports for the first time, however far it has come. */
export function firstReported(beginning: NewCall, report: Report): Call {
  const { status, at, seconds } = report;
  const start = status === 'completed' ? beforeEnd(at, seconds) : at;
  return reported(newCall(beginning, start, at), report);
}

function beforeEnd(end: Date, seconds = 0): Date {
  return after(end, -seconds * second);
}

/** No call is answered before it starts: clocks of processes differ a little, and reports come in any order. */
function withAnswer(call: Call, at: Date): Call {
  return { ...call, status: 'answered', answerTime: notBeforeStart(call, at), updatedAt: timestamp(at) };
}

function withEnd(call: Call, status: FinalStatus, at: Date): Call {
  const endTime = notBeforeStart(call, at);
  const lasted = Date.parse(endTime) - Date.parse(call.startTime);
  return { ...call, status, endTime, duration: Math.floor(lasted / second), updatedAt: timestamp(at) };
}

function notBeforeStart({ startTime }: Call, at: Date): Timestamp {
  return timestamp(new Date(Math.max(Date.parse(startTime), at.getTime())));
}
