import type { Timestamp } from '../../../shared/kernel/time.ts';
import type { SignedRequest } from '../../../shared/messages/signed-request.ts';
import type { WebhookReceipt } from '../../../shared/messages/webhook-receipt.ts';
import type { PlatformKey, PlatformRange } from '../../../shared/table/key.ts';
import type { IncomingSms } from './incoming-sms.ts';

/** A text message to a number that no organization has. */
export interface UnassignedMessage {
  sms: IncomingSms;
  receivedAt: Timestamp;
  /** Its receipt as long as nobody has the number; absent in messages of earlier versions. */
  receipt?: Pick<WebhookReceipt, '_id' | 'provider'>;
  /** Proves the message's origin once the number is assigned with a secret. Absent if it is too large to be kept. */
  request?: SignedRequest;
}

/** A message to a number that no organization has, by the time it came. */
export const unassignedMessageKey = (
  toDigest: string,
  receivedAt: Timestamp,
  sidDigest: string,
): PlatformKey<UnassignedMessage> => ({
  partition: ['UNCLAIMED', toDigest],
  sort: ['MESSAGE', receivedAt, sidDigest],
});

export const unassignedMessageRange = (toDigest: string): PlatformRange<UnassignedMessage> => ({
  partition: ['UNCLAIMED', toDigest],
  under: ['MESSAGE'],
});

/** How many were kept in a period, for one number (`NUMBER`) or from one network (`NETWORK`). */
export const unassignedCountKey = (
  of: 'NUMBER' | 'NETWORK',
  subjectDigest: string,
  period: string,
): PlatformKey<never> => ({
  partition: ['UNCLAIMED_COUNT', of, subjectDigest],
  sort: ['COUNT', period],
});
