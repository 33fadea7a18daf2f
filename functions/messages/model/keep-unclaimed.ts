import { sourceNetwork } from '../../../shared/auth/source-address.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { after, day, epochSeconds, second, timestamp } from '../../../shared/kernel/time.ts';
import { digestOf } from '../../../shared/table/digest.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';
import type { SignedRequest } from '../../../shared/webhooks/signed-request.ts';
import type { IncomingSms } from './incoming-sms.ts';
import { unclaimedCountKey, unclaimedMessageKey } from './unclaimed-message.ts';

/** How long such a message waits for its number. Source: decisions 10, "SMS webhook, never lost for a detail" */
const keptFor = 30 * day;

/**
 * Anybody can send messages to numbers that nobody has, so at most `most` are kept in each period of `period` milliseconds, counted from
 * 1970.
 */
export const unclaimedLimits = {
  NUMBER: { most: 1_000, period: keptFor },
  NETWORK: { most: 1_000, period: day },
};

/** Characters of a request that is kept with its message: 4,096 emoji take 49,152 in a form. */
const maxText = 56 * 1024;

/**
 * Keeps a message until somebody gets its number, for 30 days.
 * @throws a 429 `Failure` when too many were kept for its number or from its source network.
 */
export async function keepUnclaimed(
  platform: TableWriter<'platform'>,
  sms: IncomingSms,
  { url, text, isForm, signature }: SignedRequest,
  { sourceIp, receivedAt }: { readonly sourceIp: string; readonly receivedAt: Date },
): Promise<void> {
  const at = timestamp(receivedAt);
  const size = url.length + text.length + (signature?.length ?? 0);
  const request = size > maxText ? {} : { request: { url, text, isForm, signature } };
  const key = unclaimedMessageKey(digestOf(sms.to), at, digestOf(sms.sid));
  await platform.commit([
    oneMore(platform, 'NUMBER', sms.to, receivedAt),
    oneMore(platform, 'NETWORK', sourceNetwork(sourceIp), receivedAt),
    platform.put(key, { sms, receivedAt: at, ...request }, { expiresAt: after(receivedAt, keptFor) }),
  ]);
}

function oneMore(
  platform: TableWriter<'platform'>,
  of: keyof typeof unclaimedLimits,
  subject: string,
  now: Date,
): Action {
  const { most, period } = unclaimedLimits[of];
  const current = Math.floor(now.getTime() / period);
  const end = new Date((current + 1) * period);
  return platform.updateAction(unclaimedCountKey(of, digestOf(subject), String(current)), {
    update: 'SET expiresAt = :expiresAt ADD kept :one',
    when: 'attribute_not_exists(kept) OR kept < :most',
    values: { one: 1, most, expiresAt: epochSeconds(after(end, day)) },
    otherwise: () =>
      new Failure(
        'TOO_MANY_ATTEMPTS',
        'The number in To is not assigned, and too many messages are already waiting for it. This one was not kept.',
        { retryAfter: Math.max(1, Math.ceil((end.getTime() - now.getTime()) / second)) },
      ),
  });
}
