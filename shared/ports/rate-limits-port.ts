import type { InvocationScope } from '../kernel/ports.ts';
import type { ClientLimits } from './aws/client-limits.ts';
import { type RateLimits, rateLimits } from './rate-limits.ts';
import { provideIdentity } from './table.ts';

/**
 * Limits what a user spends on reading by what the invocation's table ports have read. What it counts is no effect of the request, so it
 * is written beside the request's own writes, whatever became of an API key.
 */
export function provideRateLimits(environment: NodeJS.ProcessEnv, limits?: ClientLimits) {
  const identity = provideIdentity(environment, limits);
  return (scope: InvocationScope): RateLimits =>
    rateLimits(
      identity({ ...scope, writes: undefined, caller: undefined }),
      () => scope.meter.total().readUnits,
      scope.now,
      undefined,
      scope.meter.draw,
    );
}
