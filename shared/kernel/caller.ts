import { Failure } from './failure.ts';
import { identifier } from './identifier.ts';

/** Roles, lowest first. Source: specification, "Authentication" 7. */
export const roles = ['SALES_REP', 'DEPARTMENT_HEAD', 'ADMIN', 'SUPERADMIN'] as const;
export type Role = (typeof roles)[number];

/** True when `role` is `lowest` or stands above it. */
export function reaches(role: Role, lowest: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(lowest);
}

/** What a verified access token says. */
export interface Claims {
  userId: string;
  organizationId: string;
  role: Role;
  /** Seconds since the epoch. */
  expiresAt: number;
}

/** Who calls, and the organization the call acts in. */
export interface Caller {
  readonly userId: string;
  readonly role: Role;
  /** The organization acted in: the caller's own, or the one a SUPERADMIN names. */
  readonly organizationId: string;
  readonly homeOrganizationId: string;
}

/** A SUPERADMIN named an organization that does not exist. */
export function organizationNotFound(): Failure {
  return new Failure('NOT_FOUND', 'No organization has the id in the header x-organization-id.', {
    title: 'Organization not found',
  });
}

/**
 * The caller behind verified claims. A SUPERADMIN acts in the organization of the header `x-organization-id`; from any
 * other role that header is refused.
 */
export function callerOf(claims: Claims, organizationHeader: string | undefined): Caller {
  const { userId, role, organizationId } = claims;
  if (organizationHeader === undefined) {
    return { userId, role, organizationId, homeOrganizationId: organizationId };
  }
  if (role !== 'SUPERADMIN') {
    throw new Failure('FORBIDDEN', 'Only a SUPERADMIN may send the header x-organization-id.');
  }
  if (!identifier.test(organizationHeader)) {
    throw organizationNotFound();
  }
  return { userId, role, organizationId: organizationHeader, homeOrganizationId: organizationId };
}

/** The caller as a user of the organization acted in; null for a SUPERADMIN from elsewhere, who is none and owns nothing in it. */
export function userHere({
  userId,
  organizationId,
  homeOrganizationId,
}: Omit<Caller, 'role'>): string | null {
  return organizationId === homeOrganizationId ? userId : null;
}
