import type { SQSClient } from '@aws-sdk/client-sqs';
import { isTransient, unavailable } from '../../kernel/transient-errors.ts';
import type { ClientLimits } from './client-limits.ts';
import { clientConfiguration, lateClient } from './late-client.ts';

/** The commands of the SDK, and the client that the process shares. */
export type Sqs = typeof import('@aws-sdk/client-sqs') & { readonly client: SQSClient };

/** Requests to Amazon SQS. A transient error that does not end with the tries of the SDK becomes a 503. */
export function sqsRequests(environment: NodeJS.ProcessEnv, limits: ClientLimits) {
  const configuration = clientConfiguration(environment, environment.AWS_ENDPOINT_URL_SQS, limits);
  const load = lateClient(async (): Promise<Sqs> => {
    const sdk = await import('@aws-sdk/client-sqs');
    const client = new sdk.SQSClient(configuration);
    // With its trace header, Lambda would take a message that is postponed again and again for a loop, and drop it after 16 rounds.
    client.middlewareStack.remove('recursionDetectionMiddleware');
    return { ...sdk, client };
  });
  return async <Result>(request: (sqs: Sqs) => Promise<Result>): Promise<Result> => {
    try {
      return await request(await load());
    } catch (error) {
      throw isTransient(error) ? unavailable(error) : error;
    }
  };
}
