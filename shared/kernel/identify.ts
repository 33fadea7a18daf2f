import { type Caller, type Claims, callerOf, reaches, roles } from './caller.ts';
import { Failure, Refused } from './failure.ts';
import type { HttpEvent } from './http-event.ts';
import { pathOf } from './http-request.ts';
import type { Operation } from './operation.ts';

/**
 * Turns the authorizer's annotation into a caller; undefined for an operation that anyone may call.
 * @throws `Refused` without a valid token, even when the gateway still takes a cached annotation for one; a 403 `Failure` for a role too low.
 */
export function identify({ minimumRole }: Operation, event: HttpEvent, now: Date): Caller | undefined {
  if (minimumRole === 'anyone') {
    return undefined;
  }
  const claims = claimsOf(event);
  if (claims.expiresAt * 1_000 <= now.getTime()) {
    throw new Refused('expired');
  }
  const caller = callerOf(claims, event.headers['x-organization-id']);
  if (!reaches(caller.role, minimumRole)) {
    throw new Failure(
      'FORBIDDEN',
      `This needs the role ${minimumRole}${minimumRole === 'SUPERADMIN' ? '' : ' or a higher one'}.`,
    );
  }
  return caller;
}

function claimsOf(event: HttpEvent): Claims {
  const context = event.requestContext.authorizer?.lambda ?? {};
  const { userId, organizationId, role, refusal } = context;
  // The gateway may hand numbers of the authorizer on as texts.
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
  return { userId, organizationId, expiresAt, role: role as Claims['role'] };
}

/**
 * The organization that the port `table` is bound to. Where the path names one (`organization: 'path'`), it is that one: any for a
 * SUPERADMIN, whom the path and not the header `x-organization-id` tells where to act; your own for everybody else.
 * @throws a 403 `Failure` before anything is read, so that nobody learns what other organizations there are.
 */
export function boundOrganization(
  operation: Operation,
  event: HttpEvent,
  caller: Caller | undefined,
): string | undefined {
  if (operation.organization !== 'path' || caller === undefined) {
    return caller?.organizationId;
  }
  const named = pathOf(operation, event).organizationId;
  if (caller.role !== 'SUPERADMIN' && named !== caller.organizationId) {
    throw new Failure('FORBIDDEN', 'The organization in the path is not your own.');
  }
  return named;
}
