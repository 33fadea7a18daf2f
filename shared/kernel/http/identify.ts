import {
  type Caller,
  type CallingKey,
  type Claims,
  factorRequired,
  keyAccesses,
  reaches,
  roles,
  toCaller,
} from '../caller.ts';
import { Failure, Refused } from '../failure.ts';
import type { Operation } from '../operation.ts';
import type { HttpEvent } from './http-event.ts';
import { pathParameters } from './http-request.ts';
import { requireKeyAccess } from './key-access.ts';

/**
 * Turns the authorizer's context into a caller; undefined for an operation that anyone may call.
 * @throws `Refused` without a valid token, even if the gateway still has a valid result of the authorizer in its cache; a 403
 * `Failure` for a role too low, for what an API key may not do, or for a session that must set up a second factor first.
 */
export function identify(operation: Operation, event: HttpEvent, now: Date): Caller | undefined {
  const { minimumRole, setsUpFactor } = operation;
  if (minimumRole === 'anyone') {
    return undefined;
  }
  const claims = claimsOf(event);
  if (claims.expiresAt * 1_000 <= now.getTime()) {
    throw new Refused(claims.key === undefined ? 'expired' : 'invalid');
  }
  if (claims.limitedTo !== undefined && !setsUpFactor) {
    throw factorRequired();
  }
  const caller = toCaller(claims, event.headers['x-organization-id']);
  if (claims.key === undefined) {
    requireRole(minimumRole, caller);
  } else {
    // Its user may have another role by now, which the stored records say.
    requireKeyAccess(operation, claims.key);
  }
  return caller;
}

/** Whether the role of the caller is high enough. */
export function hasRole({ minimumRole }: Pick<Operation, 'minimumRole'>, { role }: Caller): boolean {
  return minimumRole === 'anyone' || reaches(role, minimumRole);
}

/** @throws a 403 `Failure` for a role too low. */
export function requireRole(minimumRole: Operation['minimumRole'], caller: Caller): void {
  if (!hasRole({ minimumRole }, caller)) {
    throw new Failure(
      'FORBIDDEN',
      `This requires the role ${minimumRole}${minimumRole === 'SUPERADMIN' ? '' : ' or higher'}.`,
    );
  }
}

function claimsOf(event: HttpEvent): Claims {
  const context = event.requestContext.authorizer?.lambda ?? {};
  const { userId, organizationId, role, sessionId, limitedTo, refusal } = context;
  // The gateway may pass the authorizer's numbers on as strings.
  const expiresAt = Number(context.expiresAt ?? Number.NaN);
  if (
    refusal !== undefined ||
    typeof userId !== 'string' ||
    typeof organizationId !== 'string' ||
    !Number.isFinite(expiresAt) ||
    !roles.includes(role as never)
  ) {
    throw new Refused(refusal === 'expired' ? 'expired' : 'invalid');
  }
  return {
    userId,
    organizationId,
    expiresAt,
    role: role as Claims['role'],
    ...(typeof sessionId === 'string' && { sessionId }),
    ...(limitedTo === 'factors' && { limitedTo }),
    ...(context.keyId !== undefined && { key: keyOf(context) }),
  };
}

/** The authorizer's context has no nested fields. @throws `Refused` unless they are complete. */
function keyOf({ keyId: id, keyDigest: digest, keyAccess, keyGroups }: Record<string, unknown>): CallingKey {
  const access = keyAccesses.find((known) => known === keyAccess);
  if (typeof id !== 'string' || typeof digest !== 'string' || access === undefined) {
    throw new Refused('invalid');
  }
  return { id, digest, access, ...(typeof keyGroups === 'string' && { groups: keyGroups.split(',') }) };
}

/**
 * The organization that the port `table` is bound to: the one in the path for an operation with `organization: 'path'`, otherwise
 * the caller's. A SUPERADMIN may name any organization in the path, and the header `x-organization-id` does not matter then;
 * everybody else and every API key only their own.
 * @throws a 403 `Failure` before anything is read, so that nobody learns which other organizations exist.
 */
export function boundOrganization(
  operation: Operation,
  event: HttpEvent,
  caller: Caller | undefined,
): string | undefined {
  if (operation.organization !== 'path' || caller === undefined) {
    return caller?.organizationId;
  }
  const named = pathParameters(operation, event).organizationId;
  if ((caller.role !== 'SUPERADMIN' || caller.key !== undefined) && named !== caller.organizationId) {
    throw new Failure('FORBIDDEN', 'The organization in the path is not your own.');
  }
  return named;
}
