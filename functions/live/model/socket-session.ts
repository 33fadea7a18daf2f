import { admits, isOpen, sessionKey } from '../../../shared/auth/session.ts';
import type { SocketClaims } from '../../../shared/auth/tokens.ts';
import { Refused } from '../../../shared/kernel/failure.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import type { Action, TableReader, TableWriter } from '../../../shared/table/table.ts';

/** Whether the session that a socket token was issued in goes on. A token outlives its session by up to 5 minutes. */
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
 * The action that requires in the transaction of a new connection that its one session has not ended since it was read: the end closes the
 * connections that it finds, and this one would not be among them. That of all sessions is seen in the user's record at every delivery.
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
