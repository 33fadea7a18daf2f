import type { InvocationScope } from '../../kernel/ports.ts';
import { isTransient, unavailable } from '../../kernel/transient-errors.ts';
import { type Backoff, retried } from '../../table/backoff.ts';
import type { ClientLimits } from './client-limits.ts';
import { type SignedEndpoint, signedPosts } from './signed-posts.ts';

type Scope = Pick<InvocationScope, 'random' | 'deadline'>;

/** A service with a JSON protocol of AWS. */
export interface JsonEndpoint extends SignedEndpoint {
  readonly contentType: string;
  /** What stands before the action in the header `x-amz-target`. */
  readonly target: string;
}

/** Requests to an AWS service in its own JSON. Transient errors are retried, then a 503. */
export function jsonRequests(environment: NodeJS.ProcessEnv, endpoint: JsonEndpoint, limits: ClientLimits) {
  const post = signedPosts(environment, endpoint, limits);
  const backoff: Backoff = { attempts: limits.maxAttempts, first: 50, longest: 100 };

  async function attempt(action: string, input: object): Promise<unknown> {
    const { contentType, target } = endpoint;
    const headers = { 'content-type': contentType, 'x-amz-target': `${target}.${action}` };
    const { statusCode, body } = await post('/', headers, input);
    if (statusCode !== 200) {
      throw new Refusal(target, statusCode, String(body));
    }
    return JSON.parse(String(body) || '{}');
  }

  return ({ random, deadline }: Scope) =>
    (action: string, input: object): Promise<unknown> =>
      retried({ ...backoff, random, deadline }, () => attempt(action, input), {
        isRetryable: isTransient,
        exhausted: unavailable,
      });
}

/** An unsuccessful response of a service, named by its error code. */
class Refusal extends Error {
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(service: string, httpStatusCode: number, text: string) {
    super(`${service} responded ${httpStatusCode}: ${text.slice(0, 500)}`);
    this.name = /"__type"\s*:\s*"(?:[^"#]*#)?([^"]*)"/.exec(text)?.[1] ?? 'UnknownError';
    this.$metadata = { httpStatusCode };
  }
}
