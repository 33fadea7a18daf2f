import type { FailureCode } from '../../shared/kernel/failure.ts';
import { takesAnyQuery } from '../../shared/kernel/http/query.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import { portUses, takesKey } from '../../shared/kernel/uses.ts';
import { usedPorts } from '../ports.ts';

/** How an operation takes a bearer token. A `self-verified` token is checked by the operation and not by the gateway. */
export type BearerUse = 'required' | 'self-verified' | 'optional' | 'none';

/** How the operation takes a token, according to its declaration. */
export function bearerUse({ minimumRole, refusal, uses, failures = [] }: Operation): BearerUse {
  if (minimumRole !== 'anyone') {
    return 'required';
  }
  if (refusal !== undefined) {
    return 'self-verified';
  }
  // Anyone may call, but some callers are refused: so the operation reads the token if there is one.
  return uses.tokens !== undefined && failures.includes('FORBIDDEN') ? 'optional' : 'none';
}

/** The names in the braces of a route. */
export function pathParameters(route: string): string[] {
  return [...route.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
}

/** Every failure code of the operation, or of the kernel on its behalf. */
export function failureCodes(operation: Operation): ReadonlySet<FailureCode> {
  const { body, query, takesHeaders, route, share, failures = [] } = operation;
  const hasCaller = operation.minimumRole !== 'anyone';
  const isKeyed = takesKey(operation);
  const codes: readonly (readonly [FailureCode, boolean])[] = [
    ['INVALID', body !== undefined || takesHeaders !== undefined || isKeyed || !takesAnyQuery(query)],
    // Whatever the minimum role is, only a SUPERADMIN may send x-organization-id.
    ['FORBIDDEN', hasCaller],
    ['NOT_FOUND', pathParameters(route).length > 0 || hasCaller],
    ['TOO_LARGE', body !== undefined],
    ['TOO_MANY_ATTEMPTS', share !== undefined],
    ['CONFLICT', isKeyed],
    ['IDEMPOTENCY_KEY_REUSED', isKeyed],
    ['INTERNAL', true],
    [
      'UNAVAILABLE',
      usedPorts(portUses(operation)).some(({ grants, table }) => grants !== undefined || table !== undefined),
    ],
  ];
  return new Set([...codes.filter(([, occurs]) => occurs).map(([code]) => code), ...failures]);
}
