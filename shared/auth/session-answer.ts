import * as z from 'zod';
import { type Organization, SessionConfig } from '../organizations/organization.ts';
import { CompactUser, compactUser, type User } from '../organizations/user.ts';
import type { RefreshPosition } from './refresh-token.ts';
import type { TokenSigner } from './tokens.ts';

/** What login, register and refresh answer. */
export const SessionAnswer = z
  .object({
    token: z.string().describe('Access token: send it as "Authorization: Bearer <token>".'),
    user: CompactUser,
    refreshToken: z.string().describe('For one use at POST /api/auth/refresh, within 30 days.'),
    socketToken: z.string().describe('Opens the WebSocket within 5 minutes.'),
    sessionConfig: SessionConfig,
  })
  .meta({ id: 'SessionAnswer' });

/** A user with fresh tokens. The role is what the user has now; the access token lives as long as the organization says. */
export async function sessionAnswer(
  tokens: TokenSigner,
  { user, organization, position }: { user: User; organization: Organization; position: RefreshPosition },
  now: Date,
): Promise<z.input<typeof SessionAnswer>> {
  const { sessionConfig } = organization;
  const expiresAt = Math.floor(now.getTime() / 1_000 + sessionConfig.tokenExpiryHours * 3_600);
  const claims = { userId: user._id, organizationId: user.organizationId, role: user.accessRole };
  const [token, socketToken, refreshToken] = await Promise.all([
    tokens.accessToken({ ...claims, expiresAt }, now),
    tokens.socketToken({ ...claims, trustedUntil: expiresAt }, now),
    tokens.refreshToken(position),
  ]);
  return { token, user: compactUser(user), refreshToken, socketToken, sessionConfig };
}
