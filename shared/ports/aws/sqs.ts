import type { InvocationScope } from '../../kernel/ports.ts';
import { required } from '../environment.ts';
import type { ClientLimits } from './client-limits.ts';
import { jsonRequests } from './json-requests.ts';

/**
 * Requests to Amazon SQS about one queue. They carry no trace header: with that of the SDK, Lambda would take a message that is postponed
 * again and again for a loop, and drop it after 16 rounds.
 */
export function sqsRequests(environment: NodeJS.ProcessEnv, queueUrl: string, limits: ClientLimits) {
  const endpoint = {
    url: new URL(environment.AWS_ENDPOINT_URL_SQS ?? queueUrl),
    service: 'sqs',
    region: required(environment, 'AWS_REGION'),
    contentType: 'application/x-amz-json-1.0',
    target: 'AmazonSQS',
  };
  const requests = jsonRequests(environment, endpoint, limits);
  return (scope: Pick<InvocationScope, 'random' | 'deadline'>) => {
    const request = requests(scope);
    return (action: string, input: object) => request(action, { QueueUrl: queueUrl, ...input });
  };
}
