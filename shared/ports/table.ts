import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { InvocationScope } from '../kernel/ports.ts';
import { documentClient } from '../table/dynamodb-client.ts';
import type { Connection } from '../table/dynamodb-metering.ts';
import { dynamodbReader } from '../table/dynamodb-reads.ts';
import { dynamodbWriter } from '../table/dynamodb-writes.ts';
import { joined, type Space } from '../table/key.ts';
import { identitySpace, organizationSpace, platformSpace, type SpacePrefix } from '../table/spaces.ts';
import type { TableReader, TableWriter } from '../table/table.ts';
import { type ClientLimits, clientLimits } from './aws/client-limits.ts';
import { callerRecords } from './caller-records.ts';
import { required } from './environment.ts';

/** A connection to the table, with a function's limits unless stated. */
export function tableConnection(
  environment: NodeJS.ProcessEnv,
  limits: ClientLimits = clientLimits,
): Connection {
  return {
    tableName: required(environment, 'TABLE_NAME'),
    client: documentClient(new DynamoDBClient(limits)),
  };
}

const connections = new WeakMap<NodeJS.ProcessEnv, Connection>();

/**
 * The one connection of an environment, with the limits of the first caller. It opens while the function initialises, when CPU is
 * not throttled and nobody waits.
 */
function connectionOf(
  environment: NodeJS.ProcessEnv,
  space: readonly string[],
  limits?: ClientLimits,
): Connection {
  const open = connections.get(environment);
  if (open !== undefined) {
    return open;
  }
  const connection = tableConnection(environment, limits);
  connections.set(environment, connection);
  const { client, tableName } = connection;
  // Reads nothing, in a space that the role may read. Only the open connection counts, not the outcome.
  const Key = { pk: joined([...space, '-']), sk: '-' };
  const nothing = new GetCommand({ TableName: tableName, Key });
  setImmediate(() => client.send(nothing).catch(() => undefined));
  return connection;
}

type Open<S extends Space, Table> = (
  connection: Connection,
  space: SpacePrefix<S>,
  scope: InvocationScope,
) => Table;

/** One key space. `open` is an argument, so that the bundle of a function that only reads contains no writer. */
function tableIn<S extends Space, Table>(
  space: SpacePrefix<S>,
  open: Open<S, Table>,
  environment: NodeJS.ProcessEnv,
  limits?: ClientLimits,
) {
  const connection = connectionOf(environment, space, limits);
  return (scope: InvocationScope) => open(connection, space, scope);
}

function tablesOf<Table>(
  open: Open<'organization', Table>,
  environment: NodeJS.ProcessEnv,
  limits?: ClientLimits,
) {
  const connection = connectionOf(environment, organizationSpace('-'), limits);
  return (scope: InvocationScope) => (organizationId: string) =>
    open(connection, organizationSpace(organizationId), scope);
}

/** The key space of the invocation's organization. @throws without a verified caller. */
function tableOf<Table>(
  open: Open<'organization', Table>,
  environment: NodeJS.ProcessEnv,
  limits?: ClientLimits,
) {
  const tables = tablesOf(open, environment, limits);
  return (scope: InvocationScope) => {
    if (scope.organizationId === undefined) {
      throw new Error('The port "table" needs a caller');
    }
    return tables(scope)(scope.organizationId);
  };
}

type Environment = [environment: NodeJS.ProcessEnv, limits?: ClientLimits];

export const provideTable = (...at: Environment) => tableOf<TableWriter>(dynamodbWriter, ...at);
export const provideTableReader = (...at: Environment) => tableOf<TableReader>(dynamodbReader, ...at);
export const provideOrganizations = (...at: Environment) => tablesOf<TableWriter>(dynamodbWriter, ...at);
export const provideOrganizationsReader = (...at: Environment) =>
  tablesOf<TableReader>(dynamodbReader, ...at);
export const provideIdentity = (...at: Environment) => tableIn(identitySpace, dynamodbWriter, ...at);
export const provideIdentityReader = (...at: Environment) => tableIn(identitySpace, dynamodbReader, ...at);
export const providePlatform = (...at: Environment) => tableIn(platformSpace, dynamodbWriter, ...at);
export const providePlatformReader = (...at: Environment) => tableIn(platformSpace, dynamodbReader, ...at);

export const provideCallerRecords = (...at: Environment) => callerRecords(provideOrganizationsReader(...at));
