import type { MessageQueue } from '../kernel/message-queue.ts';
import type { InvocationScope } from '../kernel/ports.ts';
import { second } from '../kernel/time.ts';
import { isTransient, unavailable } from '../kernel/transient-errors.ts';
import { type Backoff, retried } from '../table/backoff.ts';
import { digestOf } from '../table/digest.ts';
import type { ClientLimits } from './client-limits.ts';
import { required } from './environment.ts';
import { signedPosts } from './signed-posts.ts';

/**
 * Short, because somebody waits, and what cannot be queued has another way out: with both tries less than the kernel leaves at the end of
 * an invocation.
 */
const briefly: ClientLimits = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 400, requestTimeout: 600, throwOnRequestTimeout: true },
};

/** Sends to a queue of Amazon SQS, in its own JSON. */
function provideQueue(environment: NodeJS.ProcessEnv, variable: string, limits: ClientLimits = briefly) {
  const queueUrl = required(environment, variable);
  const url = new URL(environment.AWS_ENDPOINT_URL_SQS ?? queueUrl);
  const region = required(environment, 'AWS_REGION');
  const post = signedPosts(environment, { url, service: 'sqs', region }, limits);
  const backoff: Backoff = { attempts: limits.maxAttempts, first: 50, longest: 100 };

  async function attempt(input: object): Promise<void> {
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.SendMessage' };
    const response = await post('/', headers, input);
    if (response.statusCode !== 200) {
      throw new Refusal(response.statusCode, String(response.body));
    }
  }

  return ({ random, deadline }: Pick<InvocationScope, 'random' | 'deadline'>): MessageQueue => ({
    send: (MessageBody, { group, delay = 0 }) =>
      retried(
        { ...backoff, random, deadline },
        () =>
          attempt({
            QueueUrl: queueUrl,
            MessageBody,
            // A digest has only characters that a group may have, and says nothing about anybody.
            MessageGroupId: digestOf(group),
            ...(delay > 0 && { DelaySeconds: Math.round(delay / second) }),
          }),
        { isRetryable: isTransient, exhausted: unavailable },
      ),
  });
}

export const provideKeptRequests = (environment: NodeJS.ProcessEnv, limits?: ClientLimits) =>
  provideQueue(environment, 'KEPT_REQUESTS_URL', limits);
export const provideOutgoingMail = (environment: NodeJS.ProcessEnv, limits?: ClientLimits) =>
  provideQueue(environment, 'OUTGOING_MAIL_URL', limits);
export const provideOutgoingTexts = (environment: NodeJS.ProcessEnv, limits?: ClientLimits) =>
  provideQueue(environment, 'OUTGOING_TEXTS_URL', limits);
export const provideWorkflowRuns = (environment: NodeJS.ProcessEnv, limits?: ClientLimits) =>
  provideQueue(environment, 'WORKFLOW_RUNS_URL', limits);

/** An unsuccessful response of SQS, named by its error code. */
class Refusal extends Error {
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(httpStatusCode: number, text: string) {
    super(`SQS responds ${httpStatusCode}: ${text.slice(0, 500)}`);
    this.name = /"__type"\s*:\s*"(?:[^"#]*#)?([^"]*)"/.exec(text)?.[1] ?? 'UnknownError';
    this.$metadata = { httpStatusCode };
  }
}
