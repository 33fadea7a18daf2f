import { DeletedSince, requireNoTombstoneSince } from '../../../shared/contacts/tombstones.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { ClockAndIds, Ports } from '../../../shared/kernel/operation.ts';
import { after, day } from '../../../shared/kernel/time.ts';
import { isSignedWith } from '../../../shared/messages/signed-request.ts';
import {
  type NumberOwner,
  numberOwnerKey,
  openSecrets,
  readNumberOwner,
} from '../../../shared/organizations/phone-assignments.ts';
import { toDigest } from '../../../shared/table/digest.ts';
import type { PlatformKey } from '../../../shared/table/key.ts';
import type { Stored } from '../../../shared/table/table.ts';
import { receiveMessage } from './receive-message.ts';
import { storeOrStateConsent } from './state-consent.ts';
import { type UnassignedMessage, unassignedMessageRange } from './unassigned-message.ts';

/** Messages of a run: about two seconds, for which all other background work waits. */
const batch = 50;

/** Where the next run begins with the messages of a number. */
export interface UnassignedRest {
  readonly cursor: string;
}

/** Has the sort key of a number's owner, so that the stream delivers the rest as if the number had just been assigned. */
export const unassignedRestKey = (phoneNumber: string): PlatformKey<UnassignedRest> => ({
  partition: ['UNCLAIMED_REST', phoneNumber],
  sort: numberOwnerKey(phoneNumber).sort,
});

/** Figures for the log line. */
export interface Delivery {
  delivered: number;
  /** Messages that stay where they are: without the signature that the number asks for, or refused. */
  left: number;
  /** Messages of senders whose contact the organization has deleted since they came in. They are deleted. */
  dropped: number;
  /** Why one of them could not be stored, if for no known reason. */
  problem?: unknown;
}

/**
 * Delivers the messages that waited for a number to the organization that has it now, the oldest first; nothing if nobody has it. If
 * there are many, it delivers some, from the cursor on, and leaves the rest to the next run. A message that the number's secret does not
 * sign stays until it expires, because the secret may be corrected. A message of a contact that the organization has deleted since does not
 * bring the contact back: it is deleted. It delivers each message once, even if it is interrupted and run again.
 * @throws a 503 `Failure` while the table is busy.
 */
export async function deliverUnassigned(
  {
    identity,
    platform,
    organizations,
    secrets,
  }: Ports<{ identity: 'read'; platform: 'write'; organizations: 'write'; secrets: 'open' }>,
  phoneNumber: string,
  clock: ClockAndIds,
  cursor?: string,
): Promise<Delivery> {
  const delivery: Delivery = { delivered: 0, left: 0, dropped: 0 };
  const owner = await readNumberOwner(identity, phoneNumber);
  if (owner === undefined) {
    return delivery;
  }
  const table = organizations(owner.organizationId);
  const [secret] = await openSecrets(secrets, phoneNumber, [owner]);
  const range = unassignedMessageRange(toDigest(phoneNumber));
  const { records, nextCursor } = await platform.page(range, { limit: batch, cursor, consistent: true });
  for (const record of records) {
    const { outcome, problem } = await deliverOne({ platform, table }, { owner, secret }, record, clock);
    delivery[outcome] += 1;
    if (problem !== undefined) {
      delivery.problem = problem;
    }
  }
  const rest = unassignedRestKey(phoneNumber);
  if (nextCursor !== null) {
    await platform.commit([platform.put(rest, { cursor: nextCursor }, { expiresAt: after(clock.now, day) })]);
  } else if (cursor !== undefined) {
    await platform.commit([platform.delete(rest)]);
  }
  return delivery;
}

/** Delivers one message. @throws a 503 `Failure` while the table is busy. */
async function deliverOne(
  { platform, table }: Ports<{ platform: 'write'; table: 'write' }>,
  { owner, secret }: { readonly owner: NumberOwner; readonly secret: string | undefined },
  { key, data }: Stored<UnassignedMessage, 'platform'>,
  clock: ClockAndIds,
): Promise<{ readonly outcome: 'delivered' | 'left' | 'dropped'; readonly problem?: unknown }> {
  const { organizationId } = owner;
  const { sms, receivedAt, request } = data;
  const isGenuine = secret === undefined || (request !== undefined && isSignedWith(secret, request));
  if (!isGenuine) {
    return { outcome: 'left' };
  }
  try {
    const came = new Date(receivedAt);
    await storeOrStateConsent(table, sms, came, clock, async () => {
      const conditions = await requireNoTombstoneSince(platform, organizationId, sms.from, came);
      const receiving = { now: clock.now, receivedAt: came, conditions };
      return receiveMessage(table, owner, sms, clock.newId, receiving);
    });
    await platform.commit([platform.delete(key)]);
    return { outcome: 'delivered' };
  } catch (error) {
    if (error instanceof DeletedSince) {
      await platform.commit([platform.delete(key)]);
      return { outcome: 'dropped' };
    }
    if (!(error instanceof Failure)) {
      return { outcome: 'left', problem: error };
    }
    if (error.code === 'UNAVAILABLE') {
      throw error;
    }
    // The organization has no Contact pipeline for the sender.
    return { outcome: 'left' };
  }
}
