import type { SocketClaims, SocketKey } from '../../../shared/kernel/auth/tokens.ts';
import { Refused } from '../../../shared/kernel/failure.ts';
import { type ApiKey, apiKeyKey, secretEnd } from '../../../shared/organizations/api-key.ts';
import { admits, isOpen, sessionKey } from '../../../shared/organizations/session.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import type { Action, TableReader, TableWriter } from '../../../shared/table/table.ts';

/** Whether the session of a socket token is still open, or its API key valid. A token outlives both by up to 5 minutes. */
export async function hasSession(
  organization: TableReader,
  identity: TableReader<'identity'>,
  { userId, sessionId, key }: SocketClaims,
  now: Date,
): Promise<boolean> {
  const [user, session, apiKey] = await Promise.all([
    organization.read(userKey(userId)),
    sessionId === undefined ? undefined : identity.read(sessionKey(userId, sessionId)),
    key && organization.read(apiKeyKey(key.id)),
  ]);
  if (key !== undefined) {
    return user?.data.disabled === false && isLive(apiKey?.data, key, now);
  }
  return sessionId !== undefined && admits(user?.data, sessionId) && isOpen(session, now);
}

/** Whether the API key still has this secret. */
export function isLive(apiKey: ApiKey | undefined, { digest }: SocketKey, now: Date): boolean {
  return apiKey !== undefined && secretEnd(apiKey, digest, now) !== undefined;
}

/**
 * The actions that fail the transaction of a new connection if its session was ended since it was read: ending a session closes the
 * connections that it finds, and would miss this one. The end of all sessions is in the user's record, and that of an API key in its own:
 * every delivery reads them.
 */
export function sessionStillActions(
  identity: TableWriter<'identity'>,
  { userId, sessionId }: SocketClaims,
): Action[] {
  return sessionId === undefined
    ? []
    : [
        identity.require(sessionKey(userId, sessionId), {
          when: 'attribute_exists(pk)',
          otherwise: () => new Refused('invalid'),
        }),
      ];
}
