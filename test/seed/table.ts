import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { unpacked } from '../../shared/kernel/packing.ts';

export interface Row {
  readonly pk: string;
  readonly sk: string;
  readonly [attribute: string]: unknown;
}

/** Everything in the table, in the order of the keys; records unpacked. */
export async function rowsOf(endpoint: string, TableName: string): Promise<Row[]> {
  const client = new DynamoDBClient({
    endpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  try {
    const rows: Row[] = [];
    const scan = paginateScan(
      { client: DynamoDBDocumentClient.from(client) },
      { TableName, ConsistentRead: true },
    );
    for await (const { Items = [] } of scan) {
      rows.push(...(Items as Row[]).map(readable));
    }
    return rows.sort((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1));
  } finally {
    client.destroy();
  }
}

function readable(row: Row): Row {
  return row.data === undefined ? row : { ...row, data: unpacked(row.data as string) };
}
