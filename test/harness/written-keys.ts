import { DynamoDBDocumentClient, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';

type Item = Record<string, unknown>;

/** The key of an item. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** The parts of a writing command that name its items. */
interface Input {
  readonly TableName?: string;
  readonly Item?: Item;
  readonly Key?: Item;
  readonly TransactItems?: TransactWriteCommandInput['TransactItems'];
  readonly RequestItems?: Record<string, object>;
}

interface Written {
  readonly partitions: Set<string>;
  readonly watchers: Map<string, ItemKey>[];
}

const tables = new Map<string, Written>();

function writtenTo(table: string): Written {
  const written = tables.get(table) ?? { partitions: new Set(), watchers: [] };
  tables.set(table, written);
  return written;
}

/** Every partition to which this process has written, or tried to, even if it is empty again. */
export const writtenPartitions = (table: string): ReadonlySet<string> => writtenTo(table).partitions;

/**
 * Gets every key of the table that this process writes from now on, or tries to: once before the request is sent, and once more when its
 * response has arrived. So whoever takes a key out and then reads its item misses no change.
 */
export function watchedKeys(table: string): Map<string, ItemKey> {
  const keys = new Map<string, ItemKey>();
  writtenTo(table).watchers.push(keys);
  return keys;
}

function note(table: string, { pk, sk }: Item): void {
  const key = { pk: String(pk), sk: String(sk) };
  const { partitions, watchers } = writtenTo(table);
  partitions.add(key.pk);
  for (const keys of watchers) {
    keys.set(`${key.pk} ${key.sk}`, key);
  }
}

function noteAll(
  name: string,
  { TableName: table = '', Item, Key, TransactItems, RequestItems }: Input,
): void {
  switch (name) {
    case 'PutCommand':
    case 'UpdateCommand':
    case 'DeleteCommand':
      note(table, Item ?? Key ?? {});
      break;
    case 'TransactWriteCommand':
      for (const { Put, Update, Delete } of TransactItems ?? []) {
        const one = Put ?? Update ?? Delete;
        if (one !== undefined) {
          note(one.TableName ?? '', Put?.Item ?? Update?.Key ?? Delete?.Key ?? {});
        }
      }
      break;
    case 'BatchWriteCommand':
      for (const [of, requests] of Object.entries(RequestItems ?? {})) {
        for (const { PutRequest, DeleteRequest } of requests as readonly Requested[]) {
          note(of, PutRequest?.Item ?? DeleteRequest?.Key ?? {});
        }
      }
      break;
    case 'DeleteTableCommand':
      tables.delete(table);
  }
}

interface Requested {
  readonly PutRequest?: { readonly Item: Item };
  readonly DeleteRequest?: { readonly Key: Item };
}

interface Client {
  send(command: { readonly input: Input }, ...more: unknown[]): Promise<unknown>;
}

// Here, because every client inherits this method, whatever else is between the product and its table.
const client = Object.getPrototypeOf(DynamoDBDocumentClient.prototype) as Client;
const { send } = client;
client.send = async function (this: Client, command, ...more) {
  const { name } = command.constructor;
  noteAll(name, command.input);
  try {
    return await send.call(this, command, ...more);
  } finally {
    noteAll(name, command.input);
  }
};
