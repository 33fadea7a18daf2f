import type { SocketClaims } from '../../../shared/kernel/auth/tokens.ts';
import { Refused } from '../../../shared/kernel/failure.ts';
import { admits, isOpen, sessionKey } from '../../../shared/organizations/session.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import type { Action, TableReader, TableWriter } from '../../../shared/table/table.ts';

/** Whether the session of a socket token is still open. A token outlives its session by up to 5 minutes. */
export async function hasSession(
  organization: TableReader,
  identity: TableReader<'identity'>,
  { userId, sessionId }: SocketClaims,
  now: Date,
): Promise<boolean> {
  const [user, session] = await Promise.all([
    organization.read(userKey(userId)),
    identity.read(sessionKey(userId, sessionId)),
  ]);
  return admits(user?.data, sessionId) && isOpen(session, now);
}

/**
 * The action that fails the transaction of a new connection if its session was ended since it was read: ending a session closes the
 * connections that it finds, and would miss this one. The end of all sessions is in the user's record, which every delivery reads.
 */
export function sessionStillAction(
  identity: TableWriter<'identity'>,
  { userId, sessionId }: SocketClaims,
): Action {
  return identity.require(sessionKey(userId, sessionId), {
    when: 'attribute_exists(pk)',
    otherwise: () => new Refused('invalid'),
  });
}
