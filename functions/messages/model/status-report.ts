import * as z from 'zod/mini';
import { digitsIn } from '../../../shared/kernel/exact-numbers.ts';
import { AnyNumber } from '../../../shared/kernel/http/plain-numbers.ts';
import { undelivered } from '../../../shared/kernel/providers/sms-outcomes.ts';
import { anyString, nameLimit } from '../../../shared/kernel/schemas/fields.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import { isRequired, Sid, truncated } from '../../../shared/messages/provider-fields.ts';
import type { Progress } from './progress.ts';

const Code = z.pipe(
  z.union([anyString, z.pipe(AnyNumber, z.transform(digitsIn))], { error: isRequired }),
  anyString,
);

const Status = z.string().check(z.trim());

/**
 * A provider's report about a message, in Twilio's field names. Source:
 * https://www.twilio.com/docs/messaging/guides/track-outbound-message-status
 */
export const StatusFields = z
  .looseObject({
    MessageSid: z.nullish(Sid),
    SmsSid: z.nullish(Sid),
    MessageStatus: z.nullish(Status),
    SmsStatus: z.nullish(Status),
    ErrorCode: z.nullish(Code),
  })
  .check(
    z.refine(({ MessageSid, SmsSid }) => Boolean(MessageSid || SmsSid), {
      path: ['MessageSid'],
      error: 'is required',
    }),
    z.refine(({ MessageStatus, SmsStatus }) => Boolean(MessageStatus || SmsStatus), {
      path: ['MessageStatus'],
      error: 'is required',
    }),
  );
export type StatusFields = z.output<typeof StatusFields>;

export const statusDescriptions = {
  MessageSid: "The provider's id of the message. Only the first 200 characters count.",
  SmsSid: 'The older name of `MessageSid`, used only if that is empty.',
  MessageStatus:
    '`queued`, `sent`, `delivered`, `undelivered`, `failed` or `read`; `accepted`, `scheduled` and `sending` count as `queued`: the provider has the message, and its status stays. Any other value changes nothing.',
  SmsStatus: 'The older name of `MessageStatus`, used only if that is empty.',
  ErrorCode: 'With `undelivered` and `failed`: why.',
};

const statuses = new Map<string, Progress['status']>([
  ['accepted', 'queued'],
  ['scheduled', 'queued'],
  ['queued', 'queued'],
  ['sending', 'queued'],
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['undelivered', 'undelivered'],
  ['failed', 'failed'],
  ['read', 'read'],
]);

/** The provider's id of the message, as far as it is stored. */
export const sidIn = ({ MessageSid, SmsSid }: Pick<StatusFields, 'MessageSid' | 'SmsSid'>) =>
  truncated(MessageSid || SmsSid || '', nameLimit);

/** The meaning of a report; undefined for a status that means nothing to us. */
export function reportedProgress(fields: StatusFields, at: Timestamp): Progress | undefined {
  const { MessageStatus, SmsStatus, ErrorCode } = fields;
  const status = statuses.get((MessageStatus || SmsStatus || '').toLowerCase());
  if (status === undefined) {
    return undefined;
  }
  const code = ErrorCode && truncated(ErrorCode.trim(), longestCode);
  return {
    status,
    providerMessageId: sidIn(fields),
    at,
    ...((status === 'failed' || status === 'undelivered') && {
      failure: undelivered(code === '0' ? undefined : code || undefined),
    }),
  };
}

/** Characters; Twilio's codes have five. */
const longestCode = 20;
