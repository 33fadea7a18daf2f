import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { CallScope } from '../kernel/ports.ts';
import type { Connection } from '../table/dynamodb-reads.ts';
import { dynamodbWriter } from '../table/dynamodb-writes.ts';

/** The connection of this process to the table; opened while the function initialises, where CPU is not throttled. */
export function tableConnection(environment: NodeJS.ProcessEnv): Connection {
  const tableName = environment.TABLE_NAME;
  if (tableName === undefined) {
    throw new Error('TABLE_NAME is not set');
  }
  const client = new DynamoDBClient({
    maxAttempts: 4,
    // A call that hangs must fail while there is time for another; without the switch the limit only warns.
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
  });
  return {
    tableName,
    client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
  };
}

let shared: Connection | undefined;
const connectionOf = (environment: NodeJS.ProcessEnv) => (shared ??= tableConnection(environment));

/** The partition prefix of an organization: nothing an organization's port does can leave it. */
export const organizationSpace = (organizationId: string) => ['ORG', organizationId];

/** Apart from every organization's partitions. */
export const identitySpace: readonly string[] = ['IDENTITY'];

export function provideTable(environment: NodeJS.ProcessEnv) {
  const connection = connectionOf(environment);
  return (call: CallScope) => {
    if (call.caller === undefined) {
      throw new Error('The port "table" needs a caller');
    }
    return dynamodbWriter(connection, organizationSpace(call.caller.organizationId), call);
  };
}

export function provideOrganizations(environment: NodeJS.ProcessEnv) {
  const connection = connectionOf(environment);
  return (call: CallScope) => (organizationId: string) =>
    dynamodbWriter(connection, organizationSpace(organizationId), call);
}

export function provideIdentity(environment: NodeJS.ProcessEnv) {
  const connection = connectionOf(environment);
  return (call: CallScope) => dynamodbWriter(connection, identitySpace, call);
}
