import type { Role } from '../../../shared/kernel/caller.ts';
import { after, day, type Timestamp } from '../../../shared/kernel/time.ts';
import { isOverdue, overdue } from '../../../shared/organizations/queued-mail.ts';
import type { Key, Range } from '../../../shared/table/key.ts';

/** An invitation to join an organization. */
export interface Invitation {
  _id: string;
  organizationId: string;
  email: string;
  role: Role;
  departmentIds: string[];
  /** A SUPERADMIN may be of another organization. */
  invitedBy: { userId: string; organizationId: string };
  createdAt: Timestamp;
  expiresAt: Timestamp;
  /** The digest of the token in the email; absent until the email is sent. */
  tokenDigest?: string;
  mail: { status: MailStatus; problem?: string };
  /** Absent until somebody has accepted it. */
  accepted?: { at: Timestamp; userId: string };
}

export const mailStatuses = ['queued', 'sent', 'failed'] as const;
export type MailStatus = (typeof mailStatuses)[number];

export const invitationStatuses = ['pending', 'accepted', 'expired'] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

/** How long an invitation can be accepted. */
export const invitationLife = 7 * day;

/** How long it stays in the list after that. */
const listedFor = 30 * day;

/** When the database may delete an invitation. */
export function forgottenAt({ expiresAt }: Pick<Invitation, 'expiresAt'>): Date {
  return after(new Date(expiresAt), listedFor);
}

export const invitationKey = (id: string): Key<Invitation> => ({ partition: [], sort: ['INVITATION', id] });

export const invitationRange = (): Range<Invitation> => ({ partition: [], under: ['INVITATION'] });

/** The latest invitation of an address by the organization. `emailDigest` makes the digest. */
export const latestInvitationKey = (digest: string): Key<{ invitationId: string }> => ({
  partition: [],
  sort: ['LATEST_INVITATION', digest],
});

/** Whether the invitation was accepted, has expired, or can still be accepted. */
export function invitationStatus({ accepted, expiresAt }: Invitation, now: Date): InvitationStatus {
  if (accepted !== undefined) {
    return 'accepted';
  }
  return Date.parse(expiresAt) > now.getTime() ? 'pending' : 'expired';
}

/** The outcome of the email: failed once it is overdue, even if no run recorded that. */
export function invitationMail({ mail, createdAt }: Invitation, now: Date): Invitation['mail'] {
  return mail.status === 'queued' && isOverdue(createdAt, now)
    ? { status: 'failed', problem: overdue.invitation }
    : mail;
}
