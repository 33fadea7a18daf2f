import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { AwsHttp, type AwsHttpLimits } from './aws-http.ts';
import { TableProtocol } from './dynamodb-protocol.ts';
import { TableSigner } from './dynamodb-signer.ts';

/** Where the table is, if not where the environment says. */
export type TableLocation = Pick<DynamoDBClientConfig, 'endpoint' | 'region' | 'credentials'>;

/** How often and how long the client tries. */
export interface TableLimits {
  readonly maxAttempts: number;
  readonly requestHandler?: AwsHttpLimits;
}

/**
 * What the SDK does for every command and nobody needs. The logger prepares all values for a log that is not written; the user
 * agent is for AWS's statistics; the trace header is for services that call functions; Node.js itself sets the length of a whole
 * body.
 */
const unneeded = [
  'loggerMiddleware',
  'getUserAgentMiddleware',
  'recursionDetectionMiddleware',
  'contentLengthMiddleware',
];

/**
 * The SDK's client with about half of the CPU time. Commands, errors, retries, credentials, endpoints and clock correction remain
 * the SDK's. The rest changes through the SDK's options:
 *
 * - `cacheMiddleware` builds the middleware chain once for each kind of command. A command's own `middlewareStack` counts only in
 *   the first command of its kind, and in commands with options.
 * - `protocol` encodes and decodes the commands of the table without looking up each value's type in the service's schema. Other
 *   commands, errors and everything unexpected remain the SDK's.
 * - `requestHandler` sends a request with two timers instead of five, and reads the response at once.
 * - `signer` computes the SDK's signature, but keeps the key of the day.
 * - The middlewares above are removed.
 *
 * Bundles go further: `infra/bundle/sdk-trimming.ts` leaves out what no function needs. `AWS_RETRY_MODE=adaptive`, `AWS_USE_FIPS_ENDPOINT` and `AWS_USE_DUALSTACK_ENDPOINT` do nothing there.
 *
 * The tests compare all of this with the unchanged client, and fail when a new version of the SDK changes its basis.
 */
export function tableClient(limits: TableLimits, location: TableLocation = {}): DynamoDBClient {
  const client: DynamoDBClient = new DynamoDBClient({
    ...location,
    maxAttempts: limits.maxAttempts,
    cacheMiddleware: true,
    protocol: TableProtocol,
    requestHandler: new AwsHttp(limits.requestHandler),
    signer: new TableSigner(() => client.config),
  });
  for (const name of unneeded) {
    client.middlewareStack.remove(name);
  }
  return client;
}
