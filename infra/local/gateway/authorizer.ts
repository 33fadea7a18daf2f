import { remember } from '../../../shared/kernel/remember.ts';
import type { AuthorizerPlan } from './api-plan.ts';
import { authorizerEvent, type RoutedRequest } from './http-event.ts';

/** An authorizer's decision on a request. `context` is what its function adds to the event of the integration. */
export type Verdict =
  | { verdict: 'allowed'; context: unknown }
  | { verdict: 'unauthorized' | 'forbidden' | 'broken' };

type AuthorizerResponse = { isAuthorized: boolean; context: unknown };

/** At most this many responses are cached: clients choose the keys. */
const maxCached = 1000;

/** Invokes Lambda authorizers, and caches their responses for as long as the template says. */
export class Authorizers {
  readonly #invoke: (functionName: string, event: unknown) => Promise<unknown>;
  readonly #cache = new Map<string, { response: Promise<AuthorizerResponse>; until: number }>();

  constructor(invoke: (functionName: string, event: unknown) => Promise<unknown>) {
    this.#invoke = invoke;
  }

  async decide(plan: AuthorizerPlan, routed: RoutedRequest): Promise<Verdict> {
    const identity = routed.headers[plan.header];
    if (!identity) {
      return { verdict: 'unauthorized' };
    }
    try {
      const { isAuthorized, context } = await this.#responseTo(plan, routed, identity);
      return isAuthorized ? { verdict: 'allowed', context } : { verdict: 'forbidden' };
    } catch {
      return { verdict: 'broken' }; // What went wrong is in the function's log.
    }
  }

  async #responseTo(
    plan: AuthorizerPlan,
    routed: RoutedRequest,
    identity: string,
  ): Promise<AuthorizerResponse> {
    const key = `${plan.id} ${identity}`;
    const known = this.#cache.get(key);
    if (known && known.until > routed.time) {
      return known.response;
    }
    const response = this.#invoke(plan.functionName, authorizerEvent(routed, [identity])).then(parsed);
    remember(this.#cache, key, { response, until: routed.time + plan.cacheSeconds * 1000 }, maxCached);
    response.catch(() => this.#cache.delete(key));
    return response;
  }
}

function parsed(response: unknown): AuthorizerResponse {
  const { isAuthorized, context = null } = (response ?? {}) as { isAuthorized?: unknown; context?: unknown };
  if (typeof isAuthorized !== 'boolean') {
    throw new Error('isAuthorized must be true or false.');
  }
  return { isAuthorized, context };
}
