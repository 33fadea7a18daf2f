import { sourceNetwork } from '../../../shared/kernel/http/source-address.ts';
import { idFromText } from '../../../shared/kernel/id-at.ts';
import type { SentRequest } from '../../../shared/kernel/request.ts';
import { after, day, periodEnd, timestamp } from '../../../shared/kernel/time.ts';
import type { SignedRequest } from '../../../shared/messages/signed-request.ts';
import { receiptsKeptFor, unassignedReceiptAction } from '../../../shared/messages/webhook-receipt.ts';
import { toDigest } from '../../../shared/table/digest.ts';
import { countingAction, type Limit } from '../../../shared/table/limit.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import type { IncomingSms } from './incoming-sms.ts';
import { unassignedCountKey, unassignedMessageKey } from './unassigned-message.ts';

/** How long such a message waits for its number. Source: decisions 10, "SMS webhook, never lost for a detail" */
const keptFor = receiptsKeptFor;

/**
 * Anybody can send messages to numbers that nobody has, so at most `most` are kept in each period of `period` milliseconds, counted from
 * 1970.
 */
export const unassignedLimits = {
  NUMBER: { most: 1_000, period: keptFor },
  NETWORK: { most: 1_000, period: day },
};

/** Characters of a request that is kept with its message: 4,096 emoji take 49,152 in a form. */
const maxText = 56 * 1024;

interface Arrival {
  readonly sourceIp: string;
  readonly receivedAt: Date;
  /** The name in the webhook's path. */
  readonly provider: string;
}

/**
 * Keeps a message until somebody gets its number, for 30 days.
 * @throws a 429 `Failure` when too many were kept for its number or from its source network.
 */
export async function keepUnassigned(
  platform: TableWriter<'platform'>,
  sms: IncomingSms,
  { url, text, isForm, signature, requestId }: SignedRequest & Pick<SentRequest, 'requestId'>,
  { sourceIp, receivedAt, provider }: Arrival,
): Promise<void> {
  const at = timestamp(receivedAt);
  const receipt = { _id: idFromText(receivedAt, requestId), provider };
  const size = url.length + text.length + (signature?.length ?? 0);
  const request = size > maxText ? {} : { request: { url, text, isForm, signature } };
  const key = unassignedMessageKey(toDigest(sms.to), at, toDigest(sms.sid));
  await platform.commit([
    countingAction(platform, limitOf('NUMBER', sms.to, receivedAt), receivedAt),
    countingAction(platform, limitOf('NETWORK', sourceNetwork(sourceIp), receivedAt), receivedAt),
    platform.put(
      key,
      { sms, receivedAt: at, receipt, ...request },
      { expiresAt: after(receivedAt, keptFor) },
    ),
    unassignedReceiptAction(
      { platform, now: receivedAt },
      {
        ...receipt,
        ...{ kind: 'sms', status: 'kept', reason: 'number_not_assigned', at },
      },
    ),
  ]);
}

function limitOf(of: keyof typeof unassignedLimits, subject: string, now: Date): Limit<'platform'> {
  const { most, period } = unassignedLimits[of];
  return {
    key: unassignedCountKey(of, toDigest(subject), String(Math.floor(now.getTime() / period))),
    most,
    until: periodEnd(now, period),
    refusal:
      'The number in To is not assigned, and too many messages are already waiting for it. This one was not kept.',
  };
}
