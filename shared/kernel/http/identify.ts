import { type Caller, type Claims, factorRequired, reaches, roles, toCaller } from '../caller.ts';
import { Failure, Refused } from '../failure.ts';
import type { Operation } from '../operation.ts';
import type { HttpEvent } from './http-event.ts';
import { pathParameters } from './http-request.ts';

/**
 * Turns the authorizer's context into a caller; undefined for an operation that anyone may call.
 * @throws `Refused` without a valid token, even if the gateway still has a valid result of the authorizer in its cache; a 403
 * `Failure` for a role too low, or for a session that must set up a second factor first.
 */
export function identify(
  { minimumRole, setsUpFactor }: Operation,
  event: HttpEvent,
  now: Date,
): Caller | undefined {
  if (minimumRole === 'anyone') {
    return undefined;
  }
  const claims = claimsOf(event);
  if (claims.expiresAt * 1_000 <= now.getTime()) {
    throw new Refused('expired');
  }
  if (claims.limitedTo !== undefined && !setsUpFactor) {
    throw factorRequired();
  }
  const caller = toCaller(claims, event.headers['x-organization-id']);
  requireRole(minimumRole, caller);
  return caller;
}

/** @throws a 403 `Failure` for a role too low. */
export function requireRole(minimumRole: Operation['minimumRole'], { role }: Caller): void {
  if (minimumRole !== 'anyone' && !reaches(role, minimumRole)) {
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
  };
}

/**
 * The organization that the port `table` is bound to: the one in the path for an operation with `organization: 'path'`, otherwise
 * the caller's. A SUPERADMIN may name any organization in the path, and the header `x-organization-id` does not matter then;
 * everybody else only their own.
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
  if (caller.role !== 'SUPERADMIN' && named !== caller.organizationId) {
    throw new Failure('FORBIDDEN', 'The organization in the path is not your own.');
  }
  return named;
}
