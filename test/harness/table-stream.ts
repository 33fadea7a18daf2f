import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import {
  type AttributeValue,
  BatchGetItemCommand,
  DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { streamReaders } from '../../infra/function-plan.ts';
import { loadOperations } from '../../infra/registry.ts';
import { chunks } from '../../shared/kernel/chunks.ts';
import type { Provider } from '../../shared/kernel/ports.ts';
import { type Runtime, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { type StreamEvent, serveStream } from '../../shared/kernel/serve/serve-stream.ts';
import { documentClient } from '../../shared/table/dynamodb-client.ts';
import { recordingSockets } from '../live/recording-sockets.ts';
import type { Product } from './product.ts';
import { type ItemKey, watchedKeys } from './written-keys.ts';

/**
 * The stream of a product's table and all its readers, in this process. It finds changes by comparing the items that this process wrote
 * with their earlier state. An item that is created and deleted between two comparisons goes unnoticed: settle in between.
 */
export interface TableStream {
  /** Delivers all changes to the readers, also those that they make themselves, until there are none. */
  settle(): Promise<void>;
  /** Deletes all items that have expired at a moment, as the database does, and settles. */
  expire(at: Date): Promise<void>;
  /** The records of what changes while this is done and settles. */
  recordsOf(act: () => Promise<unknown>): Promise<readonly StreamRecord[]>;
  /** Every item as a text, with everything in it that is zipped unzipped. */
  texts(): Promise<string[]>;
}

type Item = Record<string, AttributeValue>;

/** Items that DynamoDB reads in one batch. */
const mostOfBatch = 100;
type StreamRecord = StreamEvent['Records'][number];

/** The objects of any organization, for whatever a reader does with them. */
export async function provideTestObjects({ objects }: Product): Promise<Provider> {
  const [downloads, erasure] = [await objects.provider('downloads'), await objects.provider('erasure')];
  const plans = await objects.provider('plans');
  return (scope) => {
    const both = [downloads(scope), erasure(scope), plans(scope)] as ((organizationId: string) => object)[];
    return (organizationId: string) => Object.assign({}, ...both.map((of) => of(organizationId)));
  };
}

/**
 * @param log gets the log lines of the readers.
 * @param clock what time it is for them.
 */
export async function tableStream(
  product: Product,
  log: Runtime['log'] = () => undefined,
  clock: Runtime['clock'] = systemRuntime.clock,
): Promise<TableStream> {
  const readers = streamReaders(await loadOperations());
  const client = new DynamoDBClient({});
  const documents = documentClient(client);
  const sockets = recordingSockets();
  const runtime: Runtime = { ...systemRuntime, log, clock };
  const providers = {
    ...product.providers,
    sockets: () => sockets,
    objects: await provideTestObjects(product),
  };

  async function scan(): Promise<Map<string, Item>> {
    const items = new Map<string, Item>();
    const pages = paginateScan({ client }, { TableName: product.tableName, ConsistentRead: true });
    for await (const { Items = [] } of pages) {
      for (const item of Items) {
        items.set(keyTextOf(item), item);
      }
    }
    return items;
  }

  /** The items with these keys, as they are now; without those that do not exist. */
  async function read(keys: readonly ItemKey[]): Promise<Map<string, Item>> {
    const items = new Map<string, Item>();
    for (const some of chunks(keys, mostOfBatch)) {
      for (let left = some.map(({ pk, sk }): Item => ({ pk: { S: pk }, sk: { S: sk } })); left.length > 0; ) {
        const { Responses, UnprocessedKeys } = await client.send(
          new BatchGetItemCommand({
            RequestItems: { [product.tableName]: { Keys: left, ConsistentRead: true } },
          }),
        );
        for (const item of Responses?.[product.tableName] ?? []) {
          items.set(keyTextOf(item), item);
        }
        left = UnprocessedKeys?.[product.tableName]?.Keys ?? [];
      }
    }
    return items;
  }

  const written = watchedKeys(product.tableName);
  const told = await scan();
  let recorded: StreamRecord[] | undefined;

  async function settle(): Promise<void> {
    for (;;) {
      const keys = new Map(written);
      written.clear();
      const Records = changesBetween(told, await read([...keys.values()]), [...keys.keys()]);
      recorded?.push(...Records);
      if (Records.length === 0) {
        return;
      }
      for (const { operations: run } of readers) {
        const served = run.map(({ name, operation }) => {
          const { queue } = operation.uses;
          const own = queue && { queue: () => product.queues[queue] };
          return { name, operation, providers: { ...providers, ...own } };
        });
        const { batchItemFailures } = await serveStream(served, runtime)({ Records });
        if (batchItemFailures.length > 0) {
          throw new Error('Not all changes were taken');
        }
      }
    }
  }

  return {
    settle,
    async expire(at) {
      await settle();
      for (const { pk, sk, expiresAt } of [...told.values()]) {
        if (pk && sk && expiresAt !== undefined && Number(expiresAt.N) <= at.getTime() / 1_000) {
          await documents.send(
            new DeleteCommand({ TableName: product.tableName, Key: unmarshall({ pk, sk }) }),
          );
        }
      }
      await settle();
    },
    async recordsOf(act) {
      await settle();
      const records: StreamRecord[] = [];
      recorded = records;
      try {
        await act();
        await settle();
      } finally {
        recorded = undefined;
      }
      return records;
    },
    texts: async () => [...(await scan()).values()].map(textOf).sort(),
  };
}

const keyTextOf = ({ pk, sk }: Item) => `${pk?.S} ${sk?.S}`;

/** The records of what has changed at these places; `told` then has the new state. */
function changesBetween(
  told: Map<string, Item>,
  now: ReadonlyMap<string, Item>,
  keyTexts: readonly string[],
): StreamRecord[] {
  const changed = keyTexts.filter((keyText) => !isDeepStrictEqual(told.get(keyText), now.get(keyText)));
  return changed.sort().map((keyText) => {
    const [was, is] = [told.get(keyText), now.get(keyText)];
    if (is === undefined) {
      told.delete(keyText);
    } else {
      told.set(keyText, is);
    }
    const { pk, sk } = (is ?? was) as Item;
    return {
      eventName: is === undefined ? 'REMOVE' : was === undefined ? 'INSERT' : 'MODIFY',
      dynamodb: {
        ApproximateCreationDateTime: Math.floor(Date.now() / 1_000),
        Keys: { pk, sk } as Record<string, { S: string }>,
        ...(is && { NewImage: imageOf(is) }),
        ...(was && { OldImage: imageOf(was) }),
      },
    };
  });
}

/** An item as a function gets it: binary in base64. */
function imageOf(item: Item): NonNullable<NonNullable<StreamRecord['dynamodb']>['NewImage']> {
  return Object.fromEntries(
    Object.entries(item).map(([name, { S, N, B }]) => [
      name,
      {
        ...(S !== undefined && { S }),
        ...(N !== undefined && { N }),
        ...(B !== undefined && { B: Buffer.from(B).toString('base64') }),
      },
    ]),
  );
}

function textOf(item: Item): string {
  return Object.entries(item)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { S, N, B }]) => `${name}: ${S ?? N ?? (B === undefined ? '' : unzipped(B))}`)
    .join('\n');
}

/** Bytes as text; unzipped if they are zipped. */
export function unzipped(bytes: Uint8Array): string {
  try {
    return gunzipSync(bytes).toString();
  } catch {
    return Buffer.from(bytes).toString();
  }
}
