import type { Role } from '../kernel/caller.ts';
import { day, type Timestamp, timestamp } from '../kernel/time.ts';
import type { IdentityKey } from '../table/key.ts';
import type { Action, TableWriter } from '../table/table.ts';
import type { Session } from './session.ts';

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

/** An event of an account. Without a device, an administrator did it. */
export type AccountEvent =
  | { event: 'new-sign-in' | 'password-changed' | 'password-reset'; device: Device }
  | { event: 'email-changed' | 'factor-added' | 'factor-removed'; device?: Device }
  | { event: 'role-changed'; role: Role };

/** The device that a request came from, as the list of sessions shows it. */
export type Device = Pick<Session, 'userAgent' | 'ipAddress'>;

/** Tells the user of an account what happened to it. After a change of the address this goes to the former one. */
export type AccountNotice = { kind: 'account-notice'; email: string } & AccountEvent;

/**
 * An email on its way to the provider. It says what to write and holds neither text nor token: a token is made when its email is sent, so
 * that only the email itself ever has it, and no table, stream, queue or backup.
 */
export type QueuedMail = { mailId: string; queuedAt: Timestamp } & (
  | ForgottenPassword
  | InvitationMail
  | AccountNotice
);

/** Milliseconds that an email may wait to be sent. Then it fails. */
const queuedFor = day;

export const queuedMailKey = (mailId: string): IdentityKey<QueuedMail> => ({
  partition: ['MAIL', mailId],
  sort: ['OUTGOING_MAIL', mailId],
});

/** The action that queues an email, for the transaction of its cause. */
export function queueMailAction(
  identity: TableWriter<'identity'>,
  mail: ForgottenPassword | InvitationMail | AccountNotice,
  mailId: string,
  now: Date,
): Action {
  // The database deletes it a day after it should have failed, in case no run recorded that.
  const expiresAt = new Date(now.getTime() + 2 * queuedFor);
  return identity.add(queuedMailKey(mailId), { mailId, queuedAt: timestamp(now), ...mail }, { expiresAt });
}

/** The action that tells a user by email what happens to the account, for the transaction in which it happens. */
export function accountNoticeAction(
  identity: TableWriter<'identity'>,
  { email }: { email: string },
  event: AccountEvent,
  mailId: string,
  now: Date,
): Action {
  return queueMailAction(identity, { kind: 'account-notice', email, ...event }, mailId, now);
}

/** Why an email failed that waited too long. */
export const overdue: Readonly<Record<QueuedMail['kind'], string>> = {
  'account-notice': 'The email about what happened to an account could not be sent within a day.',
  'forgotten-password': 'The email about a forgotten password could not be sent within a day.',
  invitation: 'The email could not be sent within a day. Invite the address again.',
};

/** Whether an email has waited too long. */
export function isOverdue(queuedAt: Timestamp, now: Date): boolean {
  return now.getTime() - Date.parse(queuedAt) >= queuedFor;
}
