import type { FailureCode } from '../../shared/kernel/failure.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import { takesAnyQuery } from '../../shared/kernel/query.ts';
import { usesOf } from '../../shared/kernel/uses.ts';
import { portsOf } from '../ports.ts';

/** How a bearer token enters an operation. `self-verified` tokens are checked by the operation, not by the gateway. */
export type BearerUse = 'required' | 'self-verified' | 'optional' | 'none';

export function bearerUse({ minimumRole, refusal, uses, failures = [] }: Operation): BearerUse {
  if (minimumRole !== 'anyone') {
    return 'required';
  }
  if (refusal !== undefined) {
    return 'self-verified';
  }
  // Anyone may call, yet some are forbidden something: with tokens at hand, the operation looks at who calls.
  return uses.tokens !== undefined && failures.includes('FORBIDDEN') ? 'optional' : 'none';
}

/** The names of a route's path parameters, in order. */
export function pathParameters(route: string): string[] {
  return [...route.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
}

/** Every code that the operation, or the kernel on its behalf, can answer. */
export function failureCodes(operation: Operation): ReadonlySet<FailureCode> {
  const { body, query, route, failures = [] } = operation;
  const hasCaller = operation.minimumRole !== 'anyone';
  const codes: readonly (readonly [FailureCode, boolean])[] = [
    ['INVALID', body !== undefined || !takesAnyQuery(query)],
    // Whatever the lowest role is, x-organization-id from anyone but a SUPERADMIN is refused.
    ['FORBIDDEN', hasCaller],
    ['NOT_FOUND', pathParameters(route).length > 0 || hasCaller],
    ['TOO_LARGE', body !== undefined],
    ['INTERNAL', true],
    [
      'UNAVAILABLE',
      portsOf(usesOf(operation)).some(({ grants, table }) => grants !== undefined || table !== undefined),
    ],
  ];
  return new Set([...codes.filter(([, occurs]) => occurs).map(([code]) => code), ...failures]);
}
