import { ofKind } from '../../infra/registry.ts';
import type { Providers, Runtime } from '../../shared/kernel/serve/invocation.ts';
import { type AuthorizerResult, serveAuthorizer } from '../../shared/kernel/serve/serve-authorizer.ts';
import { minute } from '../../shared/kernel/time.ts';
import { allOperations } from './providers.ts';

type Context = AuthorizerResult['context'];

interface Cached {
  readonly since: number;
  readonly context: Context;
}

/** Milliseconds; test/infra/http-api.test.ts checks that the template has the same. */
const cacheMilliseconds = 5 * minute;

const [authorizer] = ofKind(allOperations, 'authorizer');
if (authorizer === undefined) {
  throw new Error('There is no authorizer');
}

/**
 * The real authorizer's answer to an `Authorization` header, cached as the gateway caches it: verifying a signature takes longer than
 * many operations. Other providers have a cache of their own.
 */
export function gatewayAuthorizer(
  providers: Providers,
): (authorization: string, runtime: Runtime) => Promise<Context> {
  const results = new WeakMap<object, Map<string, Cached>>();
  return async (authorization, runtime) => {
    const asked = providers.tokens ?? providers;
    const byHeader = results.get(asked) ?? new Map<string, Cached>();
    results.set(asked, byHeader);
    const now = runtime.clock().getTime();
    const cached = byHeader.get(authorization);
    if (cached !== undefined && cached.since <= now && now < cached.since + cacheMilliseconds) {
      return cached.context;
    }
    const serve = serveAuthorizer(authorizer?.name ?? '', authorizer?.operation as never, providers, runtime);
    const { context } = await serve({ headers: { authorization } });
    byHeader.set(authorization, { since: now, context });
    return context;
  };
}
