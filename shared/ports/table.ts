import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { CallScope } from '../kernel/ports.ts';
import { type Connection, dynamodbReader } from '../table/dynamodb-reads.ts';
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

/** The organization that the call acts in. @throws without a verified caller: it fails closed. */
function ownSpace({ caller }: CallScope): string[] {
  if (caller === undefined) {
    throw new Error('The port "table" needs a caller');
  }
  return organizationSpace(caller.organizationId);
}

export function provideTable(environment: NodeJS.ProcessEnv) {
  const connection = connectionOf(environment);
  return (call: CallScope) => dynamodbWriter(connection, ownSpace(call), call);
}

export function provideTableReader(environment: NodeJS.ProcessEnv) {
  const connection = connectionOf(environment);
  return (call: CallScope) => dynamodbReader(connection, ownSpace(call), call.meter);
}

export function provideOrganizations(environment: NodeJS.ProcessEnv) {
  const connection = connectionOf(environment);
  return (call: CallScope) => (organizationId: string) =>
    dynamodbWriter(connection, organizationSpace(organizationId), call);
}

export function provideOrganizationsReader(environment: NodeJS.ProcessEnv) {
  const connection = connectionOf(environment);
  return (call: CallScope) => (organizationId: string) =>
    dynamodbReader(connection, organizationSpace(organizationId), call.meter);
}

export function provideIdentity(environment: NodeJS.ProcessEnv) {
  const connection = connectionOf(environment);
  return (call: CallScope) => dynamodbWriter(connection, identitySpace, call);
}

export function provideIdentityReader(environment: NodeJS.ProcessEnv) {
  const connection = connectionOf(environment);
  return (call: CallScope) => dynamodbReader(connection, identitySpace, call.meter);
}
