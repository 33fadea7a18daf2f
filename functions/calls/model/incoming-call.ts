import * as z from 'zod/mini';
import type { CallStatus } from '../../../shared/calls/call.ts';
import { isPhoneNumber } from '../../../shared/contacts/read-phone-number.ts';
import { isWithheld } from '../../../shared/contacts/withheld.ts';
import type { Direction } from '../../../shared/conversations/conversation.ts';
import { isNumber, toDouble } from '../../../shared/kernel/exact-numbers.ts';
import { nameLimit } from '../../../shared/kernel/schemas/fields.ts';
import {
  fileUrlIn,
  ownNumberIn,
  PossibleAddress,
  Sid,
  sidIdentity,
  truncated,
} from '../../../shared/messages/provider-fields.ts';

/**
 * A report of a call from its provider, or the callback of a recording, in Twilio's field names, null for absent values. Sources:
 * https://www.twilio.com/docs/voice/twiml#request-parameters,
 * https://www.twilio.com/docs/voice/twiml/recording#recordingstatuscallback
 */
export const IncomingCallFields = z
  .looseObject({
    CallSid: z.pipe(Sid, z.string().check(z.refine((sid) => sid !== '', 'must not be empty'))),
    From: z.nullish(PossibleAddress),
    To: z.nullish(PossibleAddress),
    Direction: z.optional(z.unknown()),
    CallStatus: z.optional(z.unknown()),
    CallDuration: z.optional(z.unknown()),
    RecordingSid: z.nullish(Sid),
    RecordingUrl: z.optional(z.unknown()),
    RecordingStatus: z.optional(z.unknown()),
  })
  .check(
    z.refine((fields) => Boolean(fields.To) || isOfRecording(fields), { path: ['To'], error: 'is required' }),
  );
export type IncomingCallFields = z.output<typeof IncomingCallFields>;

/** Whether it is the callback of a recording, which says of its call nothing but the id. */
export function isOfRecording({
  To,
  RecordingSid,
  RecordingUrl,
}: Pick<IncomingCallFields, 'To' | 'RecordingSid' | 'RecordingUrl'>): boolean {
  return !To && Boolean(RecordingSid || RecordingUrl);
}

export const incomingCallDescriptions = {
  CallSid: "The provider's id of the call. All reports with it are of one call.",
  From: "The caller's number. Empty, or `anonymous`, `restricted`, `unavailable` or `unknown` in any case, if the caller withheld it.",
  To: 'The number called. Required, except in the callback of a recording.',
  Direction:
    '`inbound`, which is the default, or `outbound-api` or `outbound-dial`: then the number in `From` determines the organization.',
  CallStatus:
    '`queued`, `initiated`, `ringing`, `in-progress`, `completed`, `busy`, `no-answer`, `canceled` or `failed`. Any other value only says that the call exists.',
  CallDuration: 'Seconds from answer to end, with `completed`.',
  RecordingSid: "The provider's id of a recording, which is stored once.",
  RecordingUrl:
    'The http or https URL of a recording, at most 2,000 characters; any other is ignored. A call has at most 20 recordings; they can also arrive after it has ended.',
  RecordingStatus:
    'A recording is stored when this is `completed` or absent; `in-progress`, `absent` and `failed` store nothing.',
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
  readonly recording: { readonly url: string; readonly sid: string | undefined } | undefined;
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

/** Fields that cannot be read are left out: no call is lost for a detail. */
export function incomingCall(fields: IncomingCallFields): IncomingCall {
  const { CallSid: sid, From, To, CallStatus, CallDuration } = fields;
  const direction = directionOf(fields);
  const [from, to] = [From ?? '', To ?? ''];
  const [other, ownNumber] = direction === 'inbound' ? [from, to] : [to, from];
  const number = isPhoneNumber(other) ? other : undefined;
  return {
    sid: sidIdentity(sid),
    providerCallId: truncated(sid, nameLimit),
    direction,
    own: ownNumberIn(ownNumber),
    number,
    address: number !== undefined || isWithheld(other) ? undefined : other,
    status: statuses.get(textOf(CallStatus)) ?? 'initiated',
    seconds: secondsIn(CallDuration),
    recording: recordingIn(fields),
  };
}

/** A recording that is there: one that begins, is empty or failed may have a URL, too. */
function recordingIn({
  RecordingSid,
  RecordingUrl,
  RecordingStatus,
}: IncomingCallFields): IncomingCall['recording'] {
  const url = fileUrlIn(RecordingUrl);
  const isThere = ['', 'completed'].includes(textOf(RecordingStatus));
  return url === undefined || !isThere
    ? undefined
    : { url, sid: RecordingSid ? sidIdentity(RecordingSid) : undefined };
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
  const written = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
  const seconds = isNumber(written) ? toDouble(written) : -1;
  return seconds >= 0 && seconds <= longestCall ? seconds : undefined;
}
