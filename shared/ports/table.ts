import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { InvocationScope } from '../kernel/ports.ts';
import { organizationKey } from '../organizations/organization.ts';
import { tableClient } from '../table/dynamodb-client.ts';
import { type Connection, dynamodbReader } from '../table/dynamodb-reads.ts';
import { attributesOf } from '../table/dynamodb-values.ts';
import { dynamodbWriter } from '../table/dynamodb-writes.ts';
import { joined } from '../table/key.ts';
import { identitySpace, organizationSpace, platformSpace, type SpacePrefix } from '../table/spaces.ts';
import { type ClientLimits, clientLimits } from './client-limits.ts';

/** A connection to the table, with the limits of a function unless others are given. */
export function tableConnection(
  { TABLE_NAME: tableName }: NodeJS.ProcessEnv,
  limits: ClientLimits = clientLimits,
): Connection {
  if (tableName === undefined) {
    throw new Error('TABLE_NAME is not set');
  }
  return { tableName, client: tableClient(limits) };
}

const connections = new WeakMap<NodeJS.ProcessEnv, Connection>();

/**
 * The one connection of an environment, with the limits of whoever opens it: while the function initialises, when CPU is not
 * throttled and nobody waits.
 */
function connectionOf(
  environment: NodeJS.ProcessEnv,
  space: readonly string[],
  limits: ClientLimits,
): Connection {
  const open = connections.get(environment);
  if (open !== undefined) {
    return open;
  }
  const connection = tableConnection(environment, limits);
  connections.set(environment, connection);
  const { client, tableName } = connection;
  // A read of nothing, in a space that the role may read; only the way there counts, so its outcome does not.
  const Key = attributesOf({ pk: joined([...space, '-']), sk: '-' });
  const nothing = new GetItemCommand({ TableName: tableName, Key });
  setImmediate(() => client.send(nothing).catch(() => undefined));
  return connection;
}

const anyOrganization = organizationSpace('-');

/** The space of the organization that the invocation is about. @throws without a verified caller: it fails closed. */
function spaceOf(organizationId: string | undefined): SpacePrefix<'organization'> {
  if (organizationId === undefined) {
    throw new Error('The port "table" needs a caller');
  }
  return organizationSpace(organizationId);
}

export function provideTable(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const connection = connectionOf(environment, anyOrganization, limits);
  return (call: InvocationScope) => dynamodbWriter(connection, spaceOf(call.organizationId), call);
}

export function provideTableReader(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const connection = connectionOf(environment, anyOrganization, limits);
  return (call: InvocationScope) => dynamodbReader(connection, spaceOf(call.organizationId), call.meter);
}

/** Whether the organization that the caller acts in exists. */
export function provideCallerOrganization(
  environment: NodeJS.ProcessEnv,
  limits: ClientLimits = clientLimits,
) {
  const connection = connectionOf(environment, anyOrganization, limits);
  return ({ caller, meter }: InvocationScope) => ({
    async exists(): Promise<boolean> {
      const table = dynamodbReader(connection, spaceOf(caller?.organizationId), meter);
      return (await table.read(organizationKey())) !== undefined;
    },
  });
}

export function provideOrganizations(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const connection = connectionOf(environment, anyOrganization, limits);
  return (call: InvocationScope) => (organizationId: string) =>
    dynamodbWriter(connection, organizationSpace(organizationId), call);
}

export function provideOrganizationsReader(
  environment: NodeJS.ProcessEnv,
  limits: ClientLimits = clientLimits,
) {
  const connection = connectionOf(environment, anyOrganization, limits);
  return (call: InvocationScope) => (organizationId: string) =>
    dynamodbReader(connection, organizationSpace(organizationId), call.meter);
}

export function provideIdentity(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const connection = connectionOf(environment, identitySpace, limits);
  return (call: InvocationScope) => dynamodbWriter(connection, identitySpace, call);
}

export function provideIdentityReader(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const connection = connectionOf(environment, identitySpace, limits);
  return (call: InvocationScope) => dynamodbReader(connection, identitySpace, call.meter);
}

export function providePlatform(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const connection = connectionOf(environment, platformSpace, limits);
  return (call: InvocationScope) => dynamodbWriter(connection, platformSpace, call);
}

export function providePlatformReader(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const connection = connectionOf(environment, platformSpace, limits);
  return (call: InvocationScope) => dynamodbReader(connection, platformSpace, call.meter);
}
