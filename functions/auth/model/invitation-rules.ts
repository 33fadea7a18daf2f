import { reaches } from '../../../shared/kernel/caller.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import type { User } from '../../../shared/organizations/user.ts';
import type { Stored } from '../../../shared/table/table.ts';
import { type Invitation, invitationStatus } from './invitation.ts';
import { invalidToken, isDigest, type OneTimeToken } from './one-time-token.ts';

/** The invitation that the token is of, if it can be accepted. @throws a 400 `Failure` otherwise. */
export function requireAcceptable(
  stored: Stored<Invitation> | undefined,
  { digest }: OneTimeToken,
  now: Date,
): Stored<Invitation> {
  if (
    stored === undefined ||
    !isDigest(digest, stored.data.tokenDigest) ||
    invitationStatus(stored.data, now) !== 'pending'
  ) {
    throw invalidToken();
  }
  return stored;
}

/**
 * The user who sent an invitation, who must still be allowed to send it: otherwise invitations would outlive the inviter's role.
 * @throws a 403 `Failure`.
 */
export function requireInviter(inviter: Stored<User> | undefined, invitation: Invitation): Stored<User> {
  if (inviter === undefined || !mayInvite(inviter.data, invitation)) {
    throw new Failure(
      'FORBIDDEN',
      'The person who invited you may no longer do so. Ask an administrator of the organization for a new invitation.',
    );
  }
  return inviter;
}

/** Whether this user could send the invitation now. */
export function mayInvite(user: User, { organizationId, role }: Invitation): boolean {
  const isHere = user.organizationId === organizationId || user.accessRole === 'SUPERADMIN';
  return !user.disabled && isHere && reaches(user.accessRole, 'ADMIN') && reaches(user.accessRole, role);
}

/** The invitation once this user has accepted it. Its token is gone. */
export function withAcceptance(
  { tokenDigest: _, ...invitation }: Invitation,
  userId: string,
  now: Date,
): Invitation {
  return { ...invitation, accepted: { at: timestamp(now), userId } };
}
