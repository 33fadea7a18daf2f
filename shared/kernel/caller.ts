import { Failure } from './failure.ts';
import { identifier } from './identifier.ts';

/** Roles, lowest first. Source: specification, "Authentication" 7. */
export const roles = ['SALES_REP', 'DEPARTMENT_HEAD', 'ADMIN', 'SUPERADMIN'] as const;
export type Role = (typeof roles)[number];

/** Whether a role is the lowest one or above it. */
export function reaches(role: Role, lowest: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(lowest);
}

/** The lower one of two roles. */
export function lowerRole(one: Role, other: Role): Role {
  return reaches(one, other) ? other : one;
}

/** What an API key may do: read, or write, too. */
export const keyAccesses = ['read', 'write'] as const;
export type KeyAccess = (typeof keyAccesses)[number];

/** An API key that somebody calls with. */
export interface CallingKey {
  readonly id: string;
  /** The digest of the secret that was sent: a key may have two. */
  readonly digest: string;
  readonly access: KeyAccess;
  /** The groups of operations that it may use; undefined for all. */
  readonly groups?: readonly string[];
}

/** The claims of a verified access token, or of an API key. */
export interface Claims {
  userId: string;
  organizationId: string;
  role: Role;
  /** Seconds since the epoch. */
  expiresAt: number;
  /** The session that the token was issued in; absent in tokens of older versions. */
  sessionId?: string;
  /** All that the session may do: set up the second factor that its organization requires. Absent in any other session. */
  limitedTo?: 'factors';
  /** Absent in access tokens. */
  key?: CallingKey;
}

/** The 403 for a session that may only set up a second factor. */
export function factorRequired(): Failure {
  return new Failure(
    'FORBIDDEN',
    'Your organization requires a second factor. Set one up with POST /api/auth/factors, confirm it, and refresh the session.',
  );
}

/** Who calls, and for which organization. */
export interface Caller {
  readonly userId: string;
  readonly role: Role;
  /** The caller's own, or the one that a SUPERADMIN names. */
  readonly organizationId: string;
  readonly homeOrganizationId: string;
  /** The session of the caller's access token, if it names one. */
  readonly sessionId?: string;
  /** The API key that the caller, a program, acts by. */
  readonly key?: CallingKey;
  /** When the token or the key of the request ends, in seconds since the epoch; absent for an owner of a workflow. */
  readonly expiresAt?: number;
}

/** For a SUPERADMIN who names an organization that does not exist. */
export function organizationNotFound(): Failure {
  return new Failure('NOT_FOUND', 'No organization has the id in the header x-organization-id.', {
    title: 'Organization not found',
  });
}

/**
 * The caller with these verified claims. A SUPERADMIN acts in the organization of the header `x-organization-id`.
 * @throws a 403 `Failure` when any other role or an API key sends that header, a 404 one when it cannot be an id.
 */
export function toCaller(claims: Claims, organizationHeader: string | undefined): Caller {
  const { userId, role, organizationId, sessionId, key, expiresAt } = claims;
  const atHome: Caller = {
    userId,
    role,
    organizationId,
    homeOrganizationId: organizationId,
    expiresAt,
    ...(sessionId !== undefined && { sessionId }),
    ...(key !== undefined && { key }),
  };
  if (organizationHeader === undefined) {
    return atHome;
  }
  if (key !== undefined) {
    throw new Failure('FORBIDDEN', 'An API key may not send the header x-organization-id.');
  }
  if (role !== 'SUPERADMIN') {
    throw new Failure('FORBIDDEN', 'Only a SUPERADMIN may send the header x-organization-id.');
  }
  if (!identifier.test(organizationHeader)) {
    throw organizationNotFound();
  }
  return { ...atHome, organizationId: organizationHeader };
}

/**
 * The caller's id as a user of the organization acted in; null for a SUPERADMIN from elsewhere, who is not a user of it and owns
 * nothing in it.
 */
export function userHere({
  userId,
  organizationId,
  homeOrganizationId,
}: Omit<Caller, 'role'>): string | null {
  return organizationId === homeOrganizationId ? userId : null;
}
