import type { InvocationScope } from '../kernel/ports.ts';
import type { ClientLimits } from './aws/client-limits.ts';
import { provideIdentity } from './table.ts';
import { type Spending, spending } from './user-spending.ts';

/** Limits what a user spends on reading by what the invocation's table ports have read. */
export function provideSpending(environment: NodeJS.ProcessEnv, limits?: ClientLimits) {
  const identity = provideIdentity(environment, limits);
  return (scope: InvocationScope): Spending =>
    spending(identity(scope), () => scope.meter.total().readUnits, scope.now);
}
