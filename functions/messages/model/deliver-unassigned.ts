import { DeletedSince, requireNoTombstoneSince } from '../../../shared/contacts/tombstones.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { ClockAndIds, Ports } from '../../../shared/kernel/operation.ts';
import { after, day, timestamp } from '../../../shared/kernel/time.ts';
import { isSignedWith } from '../../../shared/messages/signed-request.ts';
import { receiptActions, type WebhookReceipt } from '../../../shared/messages/webhook-receipt.ts';
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
  const [secret] = await openSecrets(secrets, phoneNumber, [owner]);
  const range = unassignedMessageRange(toDigest(phoneNumber));
  const { records, nextCursor } = await platform.page(range, { limit: batch, cursor, consistent: true });
  for (const record of records) {
    const { outcome, problem } = await deliverOne(
      { platform, organizations },
      { owner, secret },
      record,
      clock,
    );
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
  { platform, organizations }: Ports<{ platform: 'write'; organizations: 'write' }>,
  { owner, secret }: { readonly owner: NumberOwner; readonly secret: string | undefined },
  { key, data }: Stored<UnassignedMessage, 'platform'>,
  clock: ClockAndIds,
): Promise<{ readonly outcome: 'delivered' | 'left' | 'dropped'; readonly problem?: unknown }> {
  const { organizationId } = owner;
  const { sms, receivedAt, request, receipt } = data;
  const table = organizations(organizationId);
  /** Says to the organization what became of the message; that it is kept may be said again. */
  const receiptSaying = (result: Pick<WebhookReceipt, 'status' | 'reason' | 'appliedAt' | 'refs'>) =>
    receipt === undefined
      ? []
      : receiptActions({ organizations, platform, now: clock.now }, organizationId, {
          ...receipt,
          ...{ kind: 'sms', at: receivedAt },
          ...result,
        });
  const leave = async (reason: string, problem?: unknown) => {
    await platform.commit(receiptSaying({ status: 'kept', reason }));
    return { outcome: 'left', problem } as const;
  };
  const isGenuine = secret === undefined || (request !== undefined && isSignedWith(secret, request));
  if (!isGenuine) {
    return leave('not_signed');
  }
  try {
    const came = new Date(receivedAt);
    const { duplicate: _, ...refs } = await storeOrStateConsent(table, sms, came, clock, async () => {
      const conditions = await requireNoTombstoneSince(platform, organizationId, sms.from, came);
      const receiving = { now: clock.now, receivedAt: came, conditions };
      return receiveMessage(table, owner, sms, clock.newId, receiving);
    });
    const appliedAt = timestamp(clock.now);
    await platform.commit([platform.delete(key), ...receiptSaying({ status: 'applied', appliedAt, refs })]);
    return { outcome: 'delivered' };
  } catch (error) {
    if (error instanceof DeletedSince) {
      const reason = 'contact_deleted';
      await platform.commit([platform.delete(key), ...receiptSaying({ status: 'dropped', reason })]);
      return { outcome: 'dropped' };
    }
    if (!(error instanceof Failure)) {
      return leave('not_stored', error);
    }
    if (error.code === 'UNAVAILABLE') {
      throw error;
    }
    // The organization has no Contact pipeline for the sender.
    return leave('not_stored');
  }
}
