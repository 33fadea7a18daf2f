import type { FailedMail, MailOutcome } from '../../../shared/kernel/providers/mail-provider.ts';
import { second } from '../../../shared/kernel/time.ts';
import {
  isOverdue,
  overdue,
  type QueuedMail,
  queuedMailKey,
} from '../../../shared/organizations/queued-mail.ts';
import { acquireLease, type Lease } from '../../../shared/table/lease.ts';
import { composeMail, type MailContext } from './compose-mail.ts';
import { forgottenAt, invitationKey } from './invitation.ts';
import { invitationEventAction } from './new-invitation.ts';

/** How long a run leases an email: longer than it needs. */
const leaseDuration = 20 * second;

/** Milliseconds to wait for another email of the same account: longer than a provider usually takes. */
const timeout = 5 * second;

export interface Sending extends Omit<MailContext, 'isFirst' | 'leaseAccount'> {
  newId(): string;
}

/**
 * Sends a queued email and removes it from the queue; does nothing if another run has done so. If a run dies between the provider's
 * response and the record, the email is sent again, with a new token: better twice than never.
 * @returns why an email will never be sent; the reason names nobody.
 * @throws when it cannot be sent now: the provider cannot be reached, or another run has it.
 */
export async function sendMail(mailId: string, sending: Sending): Promise<FailedMail | undefined> {
  const { identity, now } = sending;
  const key = queuedMailKey(mailId);
  const queued = (await identity.read(key))?.data;
  const lease = queued && (await acquireLease(identity, key, { now, duration: leaseDuration }));
  if (queued === undefined || lease === undefined) {
    return undefined;
  }
  const leasesOfAccounts: Lease[] = [];
  const leaseAccount: MailContext['leaseAccount'] = async (account) => {
    const ofAccount = await acquireLease(identity, account, { now, duration: leaseDuration, timeout });
    leasesOfAccounts.push(...(ofAccount === undefined ? [] : [ofAccount]));
  };
  try {
    const outcome = isOverdue(queued.queuedAt, now)
      ? ({ status: 'failed', reason: overdue[queued.kind] } as const)
      : await attempt(queued, { ...sending, leaseAccount, isFirst: lease.isFirst });
    await record(queued, outcome, sending);
    return outcome?.status === 'failed' ? outcome : undefined;
  } catch (error) {
    await lease.release();
    throw error;
  } finally {
    // A lease that is not released expires; the email may have been sent, and must not be sent again because of a lease.
    await Promise.allSettled(leasesOfAccounts.map((ofAccount) => ofAccount.release()));
  }
}

/** Undefined if there is nothing to send. */
async function attempt(queued: QueuedMail, context: MailContext): Promise<MailOutcome | undefined> {
  const outgoing = await composeMail(queued, context);
  return outgoing === undefined || 'status' in outgoing ? outgoing : context.mail.send(outgoing);
}

/** Removes an email from the queue, and records the outcome with its invitation. */
async function record(
  queued: QueuedMail,
  outcome: MailOutcome | undefined,
  { identity, organizations, now, newId }: Sending,
): Promise<void> {
  const done = identity.delete(queuedMailKey(queued.mailId));
  if (queued.kind !== 'invitation' || outcome === undefined) {
    return identity.commit([done]);
  }
  const table = organizations(queued.organizationId);
  const { invitationId } = queued;
  const eventId = newId();
  await table.optimistically(async () => {
    const invitation = await table.read(invitationKey(invitationId));
    const problem = outcome.status === 'failed' ? { problem: outcome.reason } : {};
    await identity.commit([
      done,
      ...(invitation === undefined
        ? []
        : [
            table.replace(
              invitation,
              { ...invitation.data, mail: { status: outcome.status, ...problem } },
              { expiresAt: forgottenAt(invitation.data) },
            ),
            invitationEventAction(table, { invitationId, change: 'updated' }, { eventId, now }),
          ]),
    ]);
  });
}
