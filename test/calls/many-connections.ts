import { tableConnection } from '../../shared/ports/table.ts';
import { dynamodbWriter } from '../../shared/table/dynamodb-writes.ts';
import { organizationSpace } from '../../shared/table/spaces.ts';
import { unhurried } from '../harness/eventually.ts';
import type { Product } from '../harness/product.ts';

/**
 * Spreads calls over connections of their own, like calls on AWS over functions of their own: a hundred at once do not queue for
 * the 50 sockets of one connection.
 * @returns what closes them.
 */
export function spreadOverConnections({ providers, tableName }: Product, count = 10): () => void {
  const connections = Array.from({ length: count }, () =>
    tableConnection({ TABLE_NAME: tableName }, unhurried),
  );
  let calls = 0;
  providers.table = (call) => {
    const connection = connections[calls++ % count];
    if (connection === undefined || call.caller === undefined) {
      throw new Error('A table needs a connection and a caller');
    }
    return dynamodbWriter(connection, organizationSpace(call.caller.organizationId), call);
  };
  return () => {
    for (const { client } of connections) {
      client.destroy();
    }
  };
}
