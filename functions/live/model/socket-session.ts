import { admits, isOpen, sessionKey } from '../../../shared/auth/session.ts';
import type { SocketClaims } from '../../../shared/auth/tokens.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import type { TableReader } from '../../../shared/table/table.ts';

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
