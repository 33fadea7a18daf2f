import { randomUUID } from 'node:crypto';
import { DeleteItemCommand, paginateScan, ScanCommand } from '@aws-sdk/client-dynamodb';
import { clientLimits } from '../../../shared/ports/client-limits.ts';
import { tableClient } from '../../../shared/table/dynamodb-client.ts';
import { dynamodbWriter } from '../../../shared/table/dynamodb-writes.ts';
import type { Space } from '../../../shared/table/key.ts';
import {
  identitySpace,
  organizationSpace,
  platformSpace,
  type SpacePrefix,
} from '../../../shared/table/spaces.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import type { Credentials } from '../environment.ts';
import { region } from '../intrinsics.ts';

export interface TableAddress {
  readonly dynamodbEndpoint: string;
  readonly tableName: string;
  /** For a database that checks them; the embedded one does not. */
  readonly credentials?: Credentials;
}

/** A table to load with data, outside of any call. */
export interface LoadedTable extends Disposable {
  organization(organizationId: string): TableWriter;
  readonly identity: TableWriter<'identity'>;
  readonly platform: TableWriter<'platform'>;
  /** What the seeding knows of itself; no operation reads it. */
  readonly seeding: TableWriter;
  isEmpty(): Promise<boolean>;
  /** Deletes everything but what the seeding knows of itself. */
  clear(): Promise<void>;
}

/** What the partition of the seeding is called. */
const seedingPartition = 'SEEDING';

export function openTable({ dynamodbEndpoint, tableName, credentials }: TableAddress): LoadedTable {
  const client = tableClient(
    { maxAttempts: clientLimits.maxAttempts },
    {
      endpoint: dynamodbEndpoint,
      region,
      credentials: credentials ?? { accessKeyId: 'local', secretAccessKey: 'local' },
    },
  );
  const connection = { tableName, client };
  const writer = <S extends Space>(space: SpacePrefix<S>) =>
    dynamodbWriter<S>(connection, space, {
      caller: undefined,
      organizationId: undefined,
      now: new Date(),
      newId: randomUUID,
      random: Math.random,
      meter: { record: () => undefined },
    });
  return {
    organization: (organizationId) => writer(organizationSpace(organizationId)),
    identity: writer(identitySpace),
    platform: writer(platformSpace),
    seeding: writer<'organization'>([seedingPartition]),
    async isEmpty() {
      const { Items = [] } = await client.send(
        new ScanCommand({ TableName: tableName, Limit: 1, ConsistentRead: true }),
      );
      return Items.length === 0;
    },
    async clear() {
      const keys = { TableName: tableName, ProjectionExpression: 'pk, sk', ConsistentRead: true };
      for await (const { Items = [] } of paginateScan({ client }, keys)) {
        const doomed = Items.filter(({ pk }) => pk?.S !== seedingPartition);
        await Promise.all(
          doomed.map((Key) => client.send(new DeleteItemCommand({ TableName: tableName, Key }))),
        );
      }
    },
    [Symbol.dispose]: () => client.destroy(),
  };
}
