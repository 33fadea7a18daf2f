import { remember } from '../../../shared/kernel/remember.ts';
import type { AuthorizerPlan } from './api-plan.ts';
import { authorizerEvent, type RoutedRequest } from './http-event.ts';

/** What an authorizer makes of a request. `context` is what its function adds to the integration's event. */
export type Verdict =
  | { verdict: 'allowed'; context: unknown }
  | { verdict: 'unauthorized' | 'forbidden' | 'broken' };

type Answer = { isAuthorized: boolean; context: unknown };

/** More answers than this are not remembered: their keys come from clients. */
const maxAnswers = 1000;

/** Asks the functions of Lambda authorizers, and remembers their answers for as long as the template says. */
export class Authorizers {
  readonly #invoke: (functionName: string, event: unknown) => Promise<unknown>;
  readonly #answers = new Map<string, { answer: Promise<Answer>; until: number }>();

  constructor(invoke: (functionName: string, event: unknown) => Promise<unknown>) {
    this.#invoke = invoke;
  }

  async decide(plan: AuthorizerPlan, routed: RoutedRequest): Promise<Verdict> {
    const identity = routed.headers[plan.header];
    if (!identity) {
      return { verdict: 'unauthorized' };
    }
    try {
      const { isAuthorized, context } = await this.#answer(plan, routed, identity);
      return isAuthorized ? { verdict: 'allowed', context } : { verdict: 'forbidden' };
    } catch {
      return { verdict: 'broken' }; // What went wrong is in the function's log.
    }
  }

  async #answer(plan: AuthorizerPlan, routed: RoutedRequest, identity: string): Promise<Answer> {
    const key = `${plan.id} ${identity}`;
    const known = this.#answers.get(key);
    if (known && known.until > routed.time) {
      return known.answer;
    }
    const answer = this.#invoke(plan.functionName, authorizerEvent(routed, [identity])).then(parsed);
    remember(this.#answers, key, { answer, until: routed.time + plan.cacheSeconds * 1000 }, maxAnswers);
    answer.catch(() => this.#answers.delete(key));
    return answer;
  }
}

function parsed(answer: unknown): Answer {
  const { isAuthorized, context = null } = (answer ?? {}) as { isAuthorized?: unknown; context?: unknown };
  if (typeof isAuthorized !== 'boolean') {
    throw new Error('isAuthorized must be true or false.');
  }
  return { isAuthorized, context };
}
