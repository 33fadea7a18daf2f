import * as z from 'zod/mini';
import { roles } from '../kernel/caller.ts';
import { anyText } from '../kernel/fields.ts';
import type { Organization } from '../organizations/organization.ts';
import { SessionConfigAnswer } from '../organizations/session-config-answer.ts';
import { conversationOpenPreferences, fullName, type User } from '../organizations/user.ts';
import { after, epochSeconds, hour } from '../time.ts';
import type { RefreshPosition } from './refresh-token.ts';
import type { TokenSigner } from './tokens.ts';

/** Source: specification, "User (compact, returned with tokens)". */
const CompactUser = z
  .object({
    id: anyText,
    email: anyText,
    fullName: anyText,
    organizationId: anyText,
    accessRole: z.enum(roles),
    conversationOpenPreference: z.enum(conversationOpenPreferences),
  })
  .check(z.meta({ id: 'User' }));

/** What login, register and refresh answer. */
export const SessionAnswer = z
  .object({
    token: anyText,
    user: CompactUser,
    refreshToken: anyText,
    socketToken: anyText,
    sessionConfig: SessionConfigAnswer,
  })
  .check(
    z.meta({
      id: 'SessionAnswer',
      description:
        'Send `token` as "Authorization: Bearer <token>". `refreshToken` is for one use at POST /api/auth/refresh, within 30 days. `socketToken` opens the WebSocket within 5 minutes.',
    }),
  );

/** A user with fresh tokens. The role is what the user has now; the access token lives as long as the organization says. */
export async function sessionAnswer(
  tokens: TokenSigner,
  { user, organization, position }: { user: User; organization: Organization; position: RefreshPosition },
  now: Date,
): Promise<z.input<typeof SessionAnswer>> {
  const { sessionConfig } = organization;
  const expiresAt = epochSeconds(after(now, sessionConfig.tokenExpiryHours * hour));
  const claims = { userId: user._id, organizationId: user.organizationId, role: user.accessRole };
  const [token, socketToken, refreshToken] = await Promise.all([
    tokens.accessToken({ ...claims, expiresAt }, now),
    tokens.socketToken({ ...claims, trustedUntil: expiresAt }, now),
    tokens.refreshToken(position),
  ]);
  return { token, user: compact(user), refreshToken, socketToken, sessionConfig };
}

function compact(user: User): z.input<typeof CompactUser> {
  const { _id, email, organizationId, accessRole, conversationOpenPreference } = user;
  return { id: _id, email, fullName: fullName(user), organizationId, accessRole, conversationOpenPreference };
}
