import * as z from 'zod/mini';
import { PhoneNumber } from '../../../shared/contacts/phone-numbers.ts';
import type { MessageAttachment } from '../../../shared/conversations/conversation.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { nameLimit, text } from '../../../shared/kernel/fields.ts';
import { attachmentLimit, SmsText } from './sms-limits.ts';

/** The number of attachments: a number in JSON, digits in a form. */
const Count = z
  .pipe(z.union([z.number(), z.string()]), z.transform(Number))
  .check(
    z.refine(
      (count) => Number.isInteger(count) && count >= 0 && count <= attachmentLimit,
      `must be a whole number from 0 to ${attachmentLimit}`,
    ),
  );

const Sid = text(nameLimit);

/**
 * A text message from its provider, in Twilio's field names, null for absent values. The fields of attachments are numbered
 * (`MediaUrl0`, `MediaContentType0`, …). Source: https://www.twilio.com/docs/messaging/guides/webhook-request
 */
export const IncomingSmsFields = z
  .looseObject({
    MessageSid: z.nullish(Sid),
    SmsSid: z.nullish(Sid),
    From: PhoneNumber,
    To: PhoneNumber,
    Body: z.nullish(SmsText),
    NumMedia: z.nullish(Count),
  })
  .check(
    z.refine(({ MessageSid, SmsSid }) => Boolean(MessageSid || SmsSid), {
      path: ['MessageSid'],
      error: 'is required',
    }),
  );
type IncomingSmsFields = z.output<typeof IncomingSmsFields>;

export const incomingSmsDescriptions = {
  MessageSid: "The provider's id of the message. A message is stored once, however often it is reported.",
  SmsSid: 'The older name of `MessageSid`, used only if that is empty.',
  From: 'The sender, in E.164. Alphanumeric senders and short codes are refused.',
  To: 'The receiving number, in E.164; its assignment determines the organization.',
  Body: 'The text; empty by default.',
  NumMedia: 'How many attachments follow, as `MediaUrl0`, `MediaContentType0` and so on; at most 10.',
};

/** A received text message. */
export interface IncomingSms {
  /** The provider's id. */
  readonly sid: string;
  readonly from: string;
  readonly to: string;
  readonly content: string;
  readonly attachments: readonly MessageAttachment[];
}

/** @throws a 400 `Failure` for an attachment that is announced but missing, or that cannot be fetched. */
export function incomingSms(fields: IncomingSmsFields): IncomingSms {
  const { MessageSid, SmsSid, From: from, To: to, Body: content, NumMedia } = fields;
  const attachments = Array.from({ length: NumMedia ?? 0 }, (_, index) => attachmentAt(index, fields));
  return { sid: MessageSid || SmsSid || '', from, to, content: content ?? '', attachments };
}

const isHttpUrl = (url: string) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
const MediaUrl = text(2_000).check(z.refine(isHttpUrl));
const MediaType = z.nullish(text(200));

function attachmentAt(index: number, fields: Readonly<Record<string, unknown>>): MessageAttachment {
  const url = z.safeParse(MediaUrl, fields[`MediaUrl${index}`]);
  if (!url.success) {
    throw new Failure('INVALID', `MediaUrl${index} must be an http or https URL of at most 2000 characters`);
  }
  const type = z.safeParse(MediaType, fields[`MediaContentType${index}`]);
  if (!type.success) {
    throw new Failure('INVALID', `MediaContentType${index} must be a string of at most 200 characters`);
  }
  return { name: nameIn(url.data), type: type.data ?? 'application/octet-stream', size: null, url: url.data };
}

/** Providers send no names, so the last part of the path is used. */
function nameIn(url: string): string {
  return new URL(url).pathname.split('/').findLast((part) => part !== '') ?? 'attachment';
}
