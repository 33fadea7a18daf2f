import * as z from 'zod/mini';
import { PhoneNumber } from '../contacts/phone-number-field.ts';
import type { MessageAttachment } from '../conversations/conversation.ts';
import { Failure } from '../kernel/failure.ts';
import { Name, text } from '../kernel/fields.ts';
import { attachmentLimit, SmsText } from './sms-limits.ts';

/** How many attachments there are: a number in JSON, digits in a form. */
const Count = z
  .pipe(z.union([z.number(), z.string()]), z.transform(Number))
  .check(
    z.refine(
      (count) => Number.isInteger(count) && count >= 0 && count <= attachmentLimit,
      `must be a whole number from 0 to ${attachmentLimit}`,
    ),
  );

/**
 * A text message as its provider tells of it, in Twilio's field names; those of its attachments (`MediaUrl0`,
 * `MediaContentType0`, …) are counted up.
 * Source: https://www.twilio.com/docs/messaging/guides/webhook-request
 */
export const IncomingSmsFields = z
  .looseObject({
    MessageSid: z.optional(Name),
    SmsSid: z.optional(Name),
    From: PhoneNumber,
    To: PhoneNumber,
    Body: z._default(SmsText, ''),
    NumMedia: z._default(Count, 0),
  })
  .check(
    z.refine(({ MessageSid, SmsSid }) => MessageSid !== undefined || SmsSid !== undefined, {
      path: ['MessageSid'],
      error: 'is required',
    }),
  );
type IncomingSmsFields = z.output<typeof IncomingSmsFields>;

export const incomingSmsMeanings = {
  MessageSid: 'The id of the message at the provider: however often it is told of, it is stored once.',
  SmsSid: 'An older name of `MessageSid`, which wins.',
  From: 'E.164. Alphanumeric senders and short codes cannot be contacts.',
  To: 'E.164; the phone-number assignment that it belongs to tells the organization.',
  NumMedia: 'How many attachments follow, as `MediaUrl0`, `MediaContentType0` and so on; at most 10.',
};

/** A text message that has come in. */
export interface IncomingSms {
  /** Its id at the provider. */
  readonly sid: string;
  readonly from: string;
  readonly to: string;
  readonly content: string;
  readonly attachments: readonly MessageAttachment[];
}

/** @throws a 400 `Failure` for an attachment that is announced but not there, or not to be fetched. */
export function incomingSms(fields: IncomingSmsFields): IncomingSms {
  const { MessageSid, SmsSid, From: from, To: to, Body: content, NumMedia } = fields;
  const attachments = Array.from({ length: NumMedia }, (_, index) => attachmentAt(index, fields));
  return { sid: MessageSid ?? SmsSid ?? '', from, to, content, attachments };
}

const isHttpUrl = (url: string) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
const MediaUrl = text(2_000).check(z.refine(isHttpUrl));
const MediaType = z._default(text(200), 'application/octet-stream');

function attachmentAt(index: number, fields: Readonly<Record<string, unknown>>): MessageAttachment {
  const url = z.safeParse(MediaUrl, fields[`MediaUrl${index}`]);
  if (!url.success) {
    throw new Failure('INVALID', `MediaUrl${index} must be a http or https URL of at most 2000 characters`);
  }
  const type = z.safeParse(MediaType, fields[`MediaContentType${index}`]);
  if (!type.success) {
    throw new Failure('INVALID', `MediaContentType${index} must be a string of at most 200 characters`);
  }
  return { name: nameIn(url.data), type: type.data, size: null, url: url.data };
}

/** Providers tell no names: the last part of the path stands for one. */
function nameIn(url: string): string {
  return new URL(url).pathname.split('/').findLast((part) => part !== '') ?? 'attachment';
}
