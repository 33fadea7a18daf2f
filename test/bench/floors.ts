import { randomUUID } from 'node:crypto';
import { GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { tableConnection } from '../../shared/ports/table.ts';

/** The least that a read or a write can cost here: the client and the database alone. */
export interface Floors {
  /** One item of 500 bytes, strongly consistent. */
  read(): Promise<unknown>;
  /** Seven new items of 500 bytes in one transaction, as many as a new contact has. */
  write(): Promise<unknown>;
}

const text = 'x'.repeat(450);

export async function floors(): Promise<Floors> {
  const { client, tableName: TableName } = tableConnection(process.env);
  const transaction = (pk: string) => ({
    ClientRequestToken: randomUUID(),
    TransactItems: Array.from({ length: 7 }, (_, index) => ({
      Put: { TableName, Item: { pk, sk: String(index), data: text } },
    })),
  });
  const Key = { pk: 'FLOOR', sk: '0' };
  await client.send(new TransactWriteCommand(transaction('FLOOR')));
  return {
    read: () => client.send(new GetCommand({ TableName, Key, ConsistentRead: true })),
    write: () => client.send(new TransactWriteCommand(transaction(`FLOOR#${randomUUID()}`))),
  };
}
