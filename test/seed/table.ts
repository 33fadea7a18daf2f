import { paginateScan } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { unpacked } from '../../shared/kernel/packing.ts';
import { databaseClient } from '../harness/database.ts';

export interface Row {
  readonly pk: string;
  readonly sk: string;
  readonly [attribute: string]: unknown;
}

/** Everything in the table whose partition begins so, in the order of the keys; records unpacked. */
export async function readRows(endpoint: string, TableName: string, partition = ''): Promise<Row[]> {
  const rows: Row[] = [];
  const scan = paginateScan(
    { client: databaseClient(endpoint) },
    {
      TableName,
      ConsistentRead: true,
      // Nobody asked for the rest, so it need not be read.
      ...(partition !== '' && {
        FilterExpression: 'begins_with(pk, :partition)',
        ExpressionAttributeValues: { ':partition': { S: partition } },
      }),
    },
  );
  for await (const { Items = [] } of scan) {
    rows.push(...Items.map((item) => readable(unmarshall(item) as Row)));
  }
  return rows.sort((a, b) => inOrder(a.pk, b.pk) || inOrder(a.sk, b.sk));
}

const inOrder = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

function readable(row: Row): Row {
  return row.data === undefined ? row : { ...row, data: unpacked(row.data as string) };
}
