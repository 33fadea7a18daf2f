import type { InvocationScope } from '../../kernel/ports.ts';
import { isTransient, unavailable } from '../../kernel/transient-errors.ts';
import { type Backoff, retried } from '../../table/backoff.ts';
import { required } from '../environment.ts';
import type { ClientLimits } from './client-limits.ts';
import { signedPosts } from './signed-posts.ts';

type Scope = Pick<InvocationScope, 'random' | 'deadline'>;

/**
 * Requests to Amazon SQS about one queue, in its own JSON. Transient errors are retried, then a 503. They carry no trace header: with that
 * of the SDK, Lambda would take a message that is postponed again and again for a loop, and drop it after 16 rounds.
 */
export function sqsRequests(environment: NodeJS.ProcessEnv, queueUrl: string, limits: ClientLimits) {
  const url = new URL(environment.AWS_ENDPOINT_URL_SQS ?? queueUrl);
  const region = required(environment, 'AWS_REGION');
  const post = signedPosts(environment, { url, service: 'sqs', region }, limits);
  const backoff: Backoff = { attempts: limits.maxAttempts, first: 50, longest: 100 };

  async function attempt(action: string, input: object): Promise<unknown> {
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` };
    const { statusCode, body } = await post('/', headers, { QueueUrl: queueUrl, ...input });
    if (statusCode !== 200) {
      throw new Refusal(statusCode, String(body));
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

/** An unsuccessful response of SQS, named by its error code. */
class Refusal extends Error {
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(httpStatusCode: number, text: string) {
    super(`SQS responded ${httpStatusCode}: ${text.slice(0, 500)}`);
    this.name = /"__type"\s*:\s*"(?:[^"#]*#)?([^"]*)"/.exec(text)?.[1] ?? 'UnknownError';
    this.$metadata = { httpStatusCode };
  }
}
