import { Failure } from '../../../shared/kernel/failure.ts';
import type { ClockAndIds, Ports } from '../../../shared/kernel/operation.ts';
import { after, day, type Timestamp, timestamp } from '../../../shared/kernel/time.ts';
import { numberOwner } from '../../../shared/organizations/phone-assignments.ts';
import { digestOf } from '../../../shared/table/digest.ts';
import type { PlatformKey, PlatformRange } from '../../../shared/table/key.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import type { IncomingSms } from './incoming-sms.ts';
import { receiveMessage } from './receive-message.ts';
import { isSignedWith, type SignedRequest } from './signed-request.ts';

/** A text message to a number that no organization has. */
export interface UnclaimedMessage {
  sms: IncomingSms;
  receivedAt: Timestamp;
  /** Proves its origin to whoever gets the number with a secret. Absent if it is too large to be kept. */
  request?: SignedRequest;
}

/** How long such a message waits for its number. Source: decisions 10, "SMS webhook, never lost for a detail" */
const keptFor = 30 * day;

/** Characters of a request that is kept. */
const mostText = 64 * 1024;

/** Messages read at a time. */
const batch = 100;

/** Keeps a message until somebody gets its number, for 30 days. */
export async function keepUnclaimed(
  platform: TableWriter<'platform'>,
  sms: IncomingSms,
  { url, text, isForm, signature }: SignedRequest,
  now: Date,
): Promise<void> {
  const receivedAt = timestamp(now);
  const request = text.length > mostText ? {} : { request: { url, text, isForm, signature } };
  const key = unclaimedMessageKey(digestOf(sms.to), receivedAt, digestOf(sms.sid));
  const message = { sms, receivedAt, ...request };
  await platform.commit([platform.put(key, message, { expiresAt: after(now, keptFor) })]);
}

/**
 * Delivers the messages that waited for a number to the organization that has it now, the oldest first; nothing if nobody has it.
 * Unsigned ones are deleted if the number has a secret. Interrupted and run again, it delivers each once.
 */
export async function deliverUnclaimed(
  {
    identity,
    platform,
    organizations,
  }: Ports<{
    identity: 'read';
    platform: 'write';
    organizations: 'write';
  }>,
  phoneNumber: string,
  clock: ClockAndIds,
): Promise<void> {
  const owner = await numberOwner(identity, phoneNumber);
  if (owner === undefined) {
    return;
  }
  const table = organizations(owner.organizationId);
  for (;;) {
    const waiting = await platform.list(unclaimedMessageRange(digestOf(phoneNumber)), { limit: batch });
    for (const { key, data } of waiting) {
      const { sms, receivedAt, request } = data;
      const isGenuine =
        owner.secret === undefined || (request !== undefined && isSignedWith(owner.secret, request));
      if (isGenuine && !(await isReceived(receiveMessage(table, owner, sms, clock, new Date(receivedAt))))) {
        return;
      }
      await platform.commit([platform.delete(key)]);
    }
    if (waiting.length < batch) {
      return;
    }
  }
}

/** False while the organization has no pipeline that its sender could enter. */
async function isReceived(receiving: Promise<unknown>): Promise<boolean> {
  try {
    await receiving;
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === 'NOT_FOUND') {
      return false;
    }
    throw error;
  }
}

/** A message to a number that no organization has, by the time it came. */
export const unclaimedMessageKey = (
  toDigest: string,
  receivedAt: Timestamp,
  sidDigest: string,
): PlatformKey<UnclaimedMessage> => ({
  partition: ['UNCLAIMED', toDigest],
  sort: ['MESSAGE', receivedAt, sidDigest],
});

export const unclaimedMessageRange = (toDigest: string): PlatformRange<UnclaimedMessage> => ({
  partition: ['UNCLAIMED', toDigest],
  under: ['MESSAGE'],
});
