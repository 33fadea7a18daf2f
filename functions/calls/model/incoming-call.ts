import * as z from 'zod/mini';
import type { CallStatus } from '../../../shared/calls/call.ts';
import { isPhoneNumber } from '../../../shared/contacts/read-phone-number.ts';
import { isWithheld } from '../../../shared/contacts/withheld.ts';
import type { Direction } from '../../../shared/conversations/conversation.ts';
import { nameLimit } from '../../../shared/kernel/schemas/fields.ts';
import {
  Address,
  fileUrlIn,
  identityOf,
  ownNumberIn,
  PossibleAddress,
  Sid,
  truncated,
} from '../../../shared/webhooks/provider-fields.ts';

/**
 * A report of a call from its provider, in Twilio's field names, null for absent values. Source:
 * https://www.twilio.com/docs/voice/twiml#request-parameters
 */
export const IncomingCallFields = z.looseObject({
  CallSid: z.pipe(Sid, z.string().check(z.refine((sid) => sid !== '', 'must not be empty'))),
  From: z.nullish(PossibleAddress),
  To: Address,
  Direction: z.optional(z.unknown()),
  CallStatus: z.optional(z.unknown()),
  CallDuration: z.optional(z.unknown()),
  RecordingUrl: z.optional(z.unknown()),
});
type IncomingCallFields = z.output<typeof IncomingCallFields>;

export const incomingCallDescriptions = {
  CallSid: "The provider's id of the call. All reports with it are of one call.",
  From: "The caller's number. Empty, or `anonymous`, `restricted`, `unavailable` or `unknown` in any case, if the caller withheld it.",
  To: 'The number called, in E.164.',
  Direction:
    '`inbound`, which is the default, or `outbound-api` or `outbound-dial`: then the number in `From` determines the organization.',
  CallStatus:
    '`queued`, `initiated`, `ringing`, `in-progress`, `completed`, `busy`, `no-answer`, `canceled` or `failed`. Any other value only says that the call exists.',
  CallDuration: 'Seconds from answer to end, with `completed`.',
  RecordingUrl:
    'The http or https URL of a recording, at most 2,000 characters. A call has at most 20 recordings; they can also arrive after it has ended.',
};

/** A report of a call. */
export interface IncomingCall {
  /** Identifies the call: the provider's id, or a digest of an id that is too long to be stored. */
  readonly sid: string;
  /** The provider's id, cut to the length that is stored. */
  readonly providerCallId: string;
  readonly direction: Direction;
  /** The organization's number; any other text if no organization can have it. */
  readonly own: string;
  /** The number on the other end, E.164; undefined for one that is withheld, or that is not a number. */
  readonly number: string | undefined;
  /** The address on the other end if that is not a number, like `sip:ada@example.com`. */
  readonly address: string | undefined;
  readonly status: CallStatus;
  readonly seconds: number | undefined;
  readonly recordingUrl: string | undefined;
}

const statuses: ReadonlyMap<string, CallStatus> = new Map([
  ['queued', 'initiated'],
  ['initiated', 'initiated'],
  ['ringing', 'ringing'],
  ['in-progress', 'answered'],
  ['answered', 'answered'],
  ['completed', 'completed'],
  ['busy', 'busy'],
  ['no-answer', 'no-answer'],
  ['canceled', 'canceled'],
  ['failed', 'failed'],
] as const);

/** What cannot be read is left out: no call is lost for a detail. */
export function incomingCall(fields: IncomingCallFields): IncomingCall {
  const { CallSid: sid, From, To, CallStatus, CallDuration, RecordingUrl } = fields;
  const direction = directionOf(fields);
  const [other, own] = direction === 'inbound' ? [From ?? '', To] : [To, From ?? ''];
  const number = isPhoneNumber(other) ? other : undefined;
  return {
    sid: identityOf(sid),
    providerCallId: truncated(sid, nameLimit),
    direction,
    own: ownNumberIn(own),
    number,
    address: number !== undefined || isWithheld(other) ? undefined : other,
    status: statuses.get(textOf(CallStatus)) ?? 'initiated',
    seconds: secondsIn(CallDuration),
    recordingUrl: fileUrlIn(RecordingUrl),
  };
}

/** The number of the organization that a report is about. */
export function ownNumberOf(fields: IncomingCallFields): string {
  return incomingCall(fields).own;
}

/** The number or address on the other end; undefined for one that is withheld. */
export function counterpartyIn({ number, address }: IncomingCall): string | undefined {
  return number ?? address;
}

function directionOf({ Direction: words }: IncomingCallFields): Direction {
  return textOf(words).startsWith('outbound') ? 'outbound' : 'inbound';
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim().toLowerCase() : '');

/** The longest call that a provider allows lasts a day. */
const longestCall = 24 * 60 * 60;

function secondsIn(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
  return typeof seconds === 'number' && seconds >= 0 && seconds <= longestCall ? seconds : undefined;
}
