import { AsyncLocalStorage } from 'node:async_hooks';
import { type AttributeValue, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { FaultyTable } from './faulty-table.ts';

/** An item of a request, in DynamoDB's form. */
type Sent = Record<string, AttributeValue>;
/** An item of a response. */
type Item = Record<string, unknown>;

interface Transaction {
  readonly TransactItems?: readonly {
    readonly Put?: { readonly TableName: string; readonly Item: Sent };
    readonly Update?: { readonly TableName: string; readonly Key: Sent };
  }[];
}

interface Output {
  Item?: Item;
  Items?: Item[];
  Responses?: Record<string, Item[]>;
}

/**
 * One item of each transaction becomes visible later than the others: for so many further transactions, readers see it as it was before.
 * Writers, whose conditions the table checks, see everything at once.
 */
export class DelayedItems {
  readonly #readers = new AsyncLocalStorage<true>();
  readonly #client = new DynamoDBClient({});
  /** As readers see them, by key; undefined if they do not see them at all. */
  readonly #former = new Map<string, { item: Item | undefined; until: number }>();
  #transactions = 0;

  constructor(table: FaultyTable, pick: <One>(all: readonly One[]) => One, longest: number) {
    const delays = Array.from({ length: longest + 1 }, (_, transactions) => transactions);
    table.always('TransactWriteItemsCommand', async (next, input = {}) => {
      const written = ((input as Transaction).TransactItems ?? []).flatMap(({ Put, Update }) => {
        const { pk, sk } = Put?.Item ?? Update?.Key ?? {};
        const isOfBoard = /#(CONTACT|BOARD|COUNTS)#/.test(pk?.S ?? '');
        return pk && sk && isOfBoard
          ? [{ TableName: Put?.TableName ?? Update?.TableName, Key: { pk, sk } }]
          : [];
      });
      if (written.length === 0) {
        return next();
      }
      const { TableName, Key } = pick(written);
      const { Item: item } = await this.#client.send(
        new GetItemCommand({ TableName, Key, ConsistentRead: true }),
      );
      const result = await next();
      this.#transactions += 1;
      const key = keyOf(unmarshall(Key));
      const until = this.#transactions + pick(delays);
      const earlier = this.#former.get(key);
      this.#former.set(key, {
        item:
          earlier !== undefined && earlier.until >= this.#transactions
            ? earlier.item
            : item && unmarshall(item),
        until,
      });
      return result;
    });
    for (const command of ['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand'] as const) {
      table.always(command, async (next) => {
        const result = (await next()) as { output: Output };
        return this.#readers.getStore() === undefined
          ? result
          : { ...result, output: this.#delayed(result.output) };
      });
    }
  }

  /** Reads as a reader to whom items become visible late. */
  readLate<Result>(read: () => Promise<Result>): Promise<Result> {
    return this.#readers.run(true, read);
  }

  #delayed(output: Output): Output {
    const shown = (items: Item[]): Item[] =>
      items.map((item) => this.#shown(item)).filter((item) => item !== undefined);
    const { Item: one, Items, Responses } = output;
    const former = one && this.#shown(one);
    const { Item: _, ...rest } = output;
    return {
      ...rest,
      ...(former && { Item: former }),
      ...(Items && { Items: shown(Items) }),
      ...(Responses && {
        Responses: Object.fromEntries(Object.entries(Responses).map(([name, items]) => [name, shown(items)])),
      }),
    };
  }

  #shown(item: Item): Item | undefined {
    const former = this.#former.get(keyOf(item));
    return former === undefined || former.until < this.#transactions ? item : former.item;
  }
}

const keyOf = ({ pk, sk }: Item) => `${pk} ${sk}`;
