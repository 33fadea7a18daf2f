import { day, type Timestamp, timestamp } from '../../../shared/kernel/time.ts';
import type { IdentityKey } from '../../../shared/table/key.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';

/** Somebody has forgotten a password: whether there is an account with this address is found out when the email is sent. */
export interface ForgottenPassword {
  kind: 'forgotten-password';
  email: string;
  /** The source network of the request. */
  network: string;
}

export interface InvitationMail {
  kind: 'invitation';
  organizationId: string;
  invitationId: string;
}

/**
 * An email on its way to the provider. It says what to write and holds neither text nor token: a token is made when its email is sent, so
 * that only the email itself ever has it, and no table, stream, queue or backup.
 */
export type QueuedMail = { mailId: string; queuedAt: Timestamp } & (ForgottenPassword | InvitationMail);

/** Milliseconds that an email may wait to be sent. Then it fails. */
const queuedFor = day;

export const queuedMailKey = (mailId: string): IdentityKey<QueuedMail> => ({
  partition: ['MAIL', mailId],
  sort: ['OUTGOING_MAIL', mailId],
});

/** The action that queues an email, for the transaction of its cause. */
export function queueMailAction(
  identity: TableWriter<'identity'>,
  mail: ForgottenPassword | InvitationMail,
  mailId: string,
  now: Date,
): Action {
  // The database deletes it a day after it should have failed, in case no run recorded that.
  const expiresAt = new Date(now.getTime() + 2 * queuedFor);
  return identity.add(queuedMailKey(mailId), { mailId, queuedAt: timestamp(now), ...mail }, { expiresAt });
}

/** Why an email failed that waited too long. */
export const overdue: Readonly<Record<QueuedMail['kind'], string>> = {
  'forgotten-password': 'The email about a forgotten password could not be sent within a day.',
  invitation: 'The email could not be sent within a day. Invite the address again.',
};

/** Whether an email has waited too long. */
export function isOverdue(queuedAt: Timestamp, now: Date): boolean {
  return now.getTime() - Date.parse(queuedAt) >= queuedFor;
}
