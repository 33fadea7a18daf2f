import * as z from 'zod/mini';
import type { RefreshPosition } from '../../../shared/kernel/auth/refresh-token.ts';
import type { TokenSigner } from '../../../shared/kernel/auth/tokens.ts';
import { reaches, roles } from '../../../shared/kernel/caller.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString } from '../../../shared/kernel/schemas/fields.ts';
import { after, epochSeconds, hour } from '../../../shared/kernel/time.ts';
import type { Organization } from '../../../shared/organizations/organization.ts';
import { SessionConfigResponse } from '../../../shared/organizations/session-config-response.ts';
import {
  conversationOpenPreferences,
  fullName,
  openPreferenceMeaning,
  type User,
} from '../../../shared/organizations/user.ts';

/** Source: specification, "User (compact, returned with tokens)". */
const CompactUser = described(
  z.object({
    id: anyString,
    email: anyString,
    fullName: anyString,
    organizationId: anyString,
    accessRole: z.enum(roles),
    conversationOpenPreference: z.enum(conversationOpenPreferences),
  }),
  {
    id: 'The id of the user.',
    email: 'The email address the user logs in with.',
    fullName: 'First and last name.',
    organizationId: 'The organization the user belongs to.',
    accessRole: 'The role of the user.',
    conversationOpenPreference: openPreferenceMeaning,
  },
  { id: 'User', description: 'The user that the tokens belong to.' },
);

/** The response to login, register and refresh. */
export const SessionResponse = described(
  z.object({
    token: anyString,
    user: CompactUser,
    refreshToken: anyString,
    socketToken: anyString,
    sessionConfig: SessionConfigResponse,
    factorSetupRequired: z.optional(anyBoolean),
  }),
  {
    token: 'The access token. Send it as `Authorization: Bearer <token>`.',
    user: 'The user that the tokens belong to.',
    refreshToken: 'Works once, within 30 days, at `POST /api/auth/refresh`.',
    socketToken: 'Opens a WebSocket connection or extends an open one; valid for 5 minutes.',
    sessionConfig: "The organization's session policy, which clients enforce.",
    factorSetupRequired:
      'True if the organization requires a second factor and the user has none: the session can only set one up (`/api/auth/factors`), and must then be refreshed. Absent otherwise.',
  },
  { id: 'SessionTokens', description: 'The tokens of a session, and the user that they belong to.' },
);

/**
 * A user with fresh tokens and the current role. The organization sets the access token's lifetime, and whether the session may only set
 * up a second factor.
 */
export async function signSessionResponse(
  tokens: TokenSigner,
  { user, organization, position }: { user: User; organization: Organization; position: RefreshPosition },
  now: Date,
): Promise<z.input<typeof SessionResponse>> {
  const { sessionConfig } = organization;
  const expiresAt = epochSeconds(after(now, sessionConfig.tokenExpiryHours * hour));
  const isLimited = lacksFactor(user, organization);
  const claims = {
    userId: user._id,
    organizationId: user.organizationId,
    role: user.accessRole,
    sessionId: position.familyId,
    ...(isLimited && { limitedTo: 'factors' as const }),
  };
  const [token, socketToken, refreshToken] = await Promise.all([
    tokens.accessToken({ ...claims, expiresAt }, now),
    tokens.socketToken({ ...claims, trustedUntil: expiresAt }, now),
    tokens.refreshToken(position, now),
  ]);
  return {
    token,
    user: compact(user),
    refreshToken,
    socketToken,
    sessionConfig,
    ...(isLimited && { factorSetupRequired: true }),
  };
}

function compact(user: User): z.input<typeof CompactUser> {
  const { _id, email, organizationId, accessRole, conversationOpenPreference } = user;
  return { id: _id, email, fullName: fullName(user), organizationId, accessRole, conversationOpenPreference };
}

/** Whether the user must have a second factor and has none. */
function lacksFactor(
  { factorId, accessRole }: Pick<User, 'factorId' | 'accessRole'>,
  { sessionConfig: { factorRequiredFor = 'nobody' } }: Pick<Organization, 'sessionConfig'>,
): boolean {
  return (
    factorId === undefined &&
    (factorRequiredFor === 'everybody' || (factorRequiredFor === 'admins' && reaches(accessRole, 'ADMIN')))
  );
}
