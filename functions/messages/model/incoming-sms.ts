import * as z from 'zod/mini';
import type { MessageAttachment } from '../../../shared/conversations/conversation.ts';
import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import { isNumber, toDouble } from '../../../shared/kernel/exact-numbers.ts';
import { nameLimit } from '../../../shared/kernel/schemas/fields.ts';
import {
  Address,
  fileUrlIn,
  ownNumberIn,
  Sid,
  sidIdentity,
  truncated,
} from '../../../shared/messages/provider-fields.ts';
import { attachmentLimit } from '../../../shared/messages/sms-limits.ts';
import { type OptOutType, optOutTypeIn } from './opt-out-words.ts';
import { profileNameIn, richDescriptions, richFields, SmsBody, smsContent } from './sms-content.ts';

/**
 * A text message from its provider, in Twilio's field names, null for absent values. The fields of attachments are numbered
 * (`MediaUrl0`, `MediaContentType0`, …). Source: https://www.twilio.com/docs/messaging/guides/webhook-request
 */
export const IncomingSmsFields = z
  .looseObject({
    MessageSid: z.nullish(Sid),
    SmsSid: z.nullish(Sid),
    From: Address,
    To: Address,
    Body: z.nullish(SmsBody),
    ...richFields,
    NumMedia: z.optional(z.unknown()),
    OptOutType: z.optional(z.unknown()),
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
  From: 'The sender: a phone number, a short code, a name, or an address with a scheme, like `whatsapp:+15551234567`. Schemes are compared in lower case, and numbers in any notation; a number behind `tel:` or `sip:` is that number.',
  To: 'The receiving number, with or without a scheme; its assignment determines the organization.',
  Body: 'The text; empty by default. Only the first 4,096 characters of a message are stored.',
  ...richDescriptions,
  NumMedia:
    'How many attachments follow, as `MediaUrl0`, `MediaContentType0` and so on; if it is absent or not a number, all that are sent count. The first 10 are stored, except those without an http or https URL of at most 2,000 characters.',
  OptOutType:
    '`STOP`, `START` or `HELP`, if the provider has recognised one of its own keywords, in whatever language: it then counts instead of the text. Anything else is ignored.',
};

/** A received text message. */
export interface IncomingSms {
  /** Identifies the message: the provider's id, or a digest of an id that is too long to be stored. */
  readonly sid: string;
  /** The provider's id, cut to the length that is stored. */
  readonly providerMessageId: string;
  /** E.164, or an address that is not a phone number. */
  readonly from: string;
  /** E.164, unless no organization can have it. */
  readonly to: string;
  readonly content: string;
  /** The type that the provider told; undefined if it told none. */
  readonly optOutType?: OptOutType | undefined;
  /** Names a new contact; absent if the provider knows no name. */
  readonly profileName?: string;
  readonly attachments: readonly MessageAttachment[];
}

/** Text beyond a limit is cut, and an attachment that cannot be fetched is left out: no message is lost for a detail. */
export function incomingSms(fields: IncomingSmsFields): IncomingSms {
  const { MessageSid, SmsSid, From: from, To, NumMedia, OptOutType } = fields;
  const sid = MessageSid || SmsSid || '';
  return {
    sid: sidIdentity(sid),
    providerMessageId: truncated(sid, nameLimit),
    from,
    to: ownNumberIn(To),
    content: smsContent(fields),
    ...definedOnly({ optOutType: optOutTypeIn(OptOutType), profileName: profileNameIn(fields) }),
    attachments: Array.from({ length: attachmentCount(NumMedia) }, (_, index) =>
      attachmentAt(index, fields),
    ).flat(),
  };
}

/** How many attachments to look for: as many as are announced, or as can be stored if nothing readable is. */
function attachmentCount(announced: unknown): number {
  const isText = typeof announced === 'string' && announced.trim() !== '';
  const written = isText ? Number(announced) : announced;
  const count = isNumber(written) ? toDouble(written) : -1;
  return Number.isInteger(count) && count >= 0 ? Math.min(count, attachmentLimit) : attachmentLimit;
}

/** None if it is announced but missing, or cannot be fetched. */
function attachmentAt(index: number, fields: Readonly<Record<string, unknown>>): MessageAttachment[] {
  const { [`MediaUrl${index}`]: written, [`MediaContentType${index}`]: type } = fields;
  const url = fileUrlIn(written);
  return url === undefined
    ? []
    : [
        {
          name: nameIn(url),
          type: (typeof type === 'string' && truncated(type.trim(), nameLimit)) || 'application/octet-stream',
          size: null,
          url,
        },
      ];
}

/** Providers send no names, so the last part of the path is used. */
function nameIn(url: string): string {
  return new URL(url).pathname.split('/').findLast((part) => part !== '') ?? 'attachment';
}
