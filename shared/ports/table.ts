import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { InvocationScope } from '../kernel/ports.ts';
import { documentClient } from '../table/dynamodb-client.ts';
import type { Connection } from '../table/dynamodb-metering.ts';
import { dynamodbReader } from '../table/dynamodb-reads.ts';
import type { Space } from '../table/key.ts';
import { identitySpace, organizationSpace, platformSpace, type SpacePrefix } from '../table/spaces.ts';
import type { TableReader, TableWriter } from '../table/table.ts';
import { type ClientLimits, clientLimits } from './aws/client-limits.ts';
import { callerRecords } from './caller-records.ts';
import { required } from './environment.ts';
import { keyedWriter } from './keyed-writer.ts';

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

/** The one connection of an environment, with the limits of the first caller. */
function connectionOf(environment: NodeJS.ProcessEnv, limits?: ClientLimits): Connection {
  const connection = connections.get(environment) ?? tableConnection(environment, limits);
  connections.set(environment, connection);
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
  const connection = connectionOf(environment, limits);
  return (scope: InvocationScope) => open(connection, space, scope);
}

function tablesOf<Table>(
  open: Open<'organization', Table>,
  environment: NodeJS.ProcessEnv,
  limits?: ClientLimits,
) {
  const connection = connectionOf(environment, limits);
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

export const provideTable = (...at: Environment) => tableOf<TableWriter>(keyedWriter, ...at);
export const provideTableReader = (...at: Environment) => tableOf<TableReader>(dynamodbReader, ...at);
export const provideOrganizations = (...at: Environment) => tablesOf<TableWriter>(keyedWriter, ...at);
export const provideOrganizationsReader = (...at: Environment) =>
  tablesOf<TableReader>(dynamodbReader, ...at);
export const provideIdentity = (...at: Environment) => tableIn(identitySpace, keyedWriter, ...at);
export const provideIdentityReader = (...at: Environment) => tableIn(identitySpace, dynamodbReader, ...at);
export const providePlatform = (...at: Environment) => tableIn(platformSpace, keyedWriter, ...at);
export const providePlatformReader = (...at: Environment) => tableIn(platformSpace, dynamodbReader, ...at);

export const provideCallerRecords = (...at: Environment) => callerRecords(provideOrganizationsReader(...at));
