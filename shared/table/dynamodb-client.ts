import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { TableHttp, type TableHttpLimits } from './dynamodb-http.ts';
import { TableProtocol } from './dynamodb-protocol.ts';
import { TableSigner } from './dynamodb-signer.ts';

/** Where the table is, when it is not where the environment says. */
export type TableLocation = Pick<DynamoDBClientConfig, 'endpoint' | 'region' | 'credentials'>;

/** How often and how long the client tries. */
export interface TableLimits {
  readonly maxAttempts: number;
  readonly requestHandler?: TableHttpLimits;
}

/**
 * What the SDK does around every call of this client and nobody needs: the logger walks all values for a log that is not kept; the
 * user agent is for AWS's statistics; the trace header is for services that call functions, which DynamoDB does not; Node.js
 * itself says the length of a body that is there as a whole.
 */
const unneeded = [
  'loggerMiddleware',
  'getUserAgentMiddleware',
  'recursionDetectionMiddleware',
  'contentLengthMiddleware',
];

/**
 * The SDK's client with less work for each call: about half of the CPU. Its commands, errors, retries, credentials,
 * endpoints and its correction of the clock are the SDK's own. What differs goes through the SDK's options:
 *
 * - `cacheMiddleware` puts the steps of a call together once for each kind of command, no longer for each call. A command's own
 *   `middlewareStack` counts only in the first call of its kind, and in calls with options.
 * - `protocol` writes and reads the JSON of the commands that the table needs without looking up each value's type in the
 *   service's schema; other commands, errors and whatever is unexpected remain the SDK's.
 * - `requestHandler` sends a request with two timers in place of five, and reads the answer at once.
 * - `signer` computes the same signature as the SDK's, with the key of the day kept.
 * - the middlewares above are removed.
 *
 * The tests compare all of it with the untouched client, and fail when a new version of the SDK changes what it stands on.
 */
export function tableClient(limits: TableLimits, location: TableLocation = {}): DynamoDBClient {
  const client: DynamoDBClient = new DynamoDBClient({
    ...location,
    maxAttempts: limits.maxAttempts,
    cacheMiddleware: true,
    protocol: TableProtocol,
    requestHandler: new TableHttp(limits.requestHandler),
    signer: new TableSigner(() => client.config),
  });
  for (const name of unneeded) {
    client.middlewareStack.remove(name);
  }
  return client;
}
