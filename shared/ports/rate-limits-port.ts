import type { InvocationScope } from '../kernel/ports.ts';
import type { ClientLimits } from './aws/client-limits.ts';
import { type RateLimits, rateLimits } from './rate-limits.ts';
import { provideIdentity } from './table.ts';

/** Limits what a user spends on reading by what the invocation's table ports have read. */
export function provideRateLimits(environment: NodeJS.ProcessEnv, limits?: ClientLimits) {
  const identity = provideIdentity(environment, limits);
  return (scope: InvocationScope): RateLimits =>
    rateLimits(identity(scope), () => scope.meter.total().readUnits, scope.now);
}
