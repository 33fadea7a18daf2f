import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import { unpacked } from '../../shared/kernel/packing.ts';
import type { FaultyTable } from './faulty-table.ts';

/** Every contact as the commits up to some moment left it, by id. */
export type Contacts = ReadonlyMap<string, StoredContact>;

interface Commit {
  readonly begun: number;
  readonly ended: number;
  readonly effects: readonly { readonly id: string; readonly contact: StoredContact | undefined }[];
}

/** The time from a request to its response. */
export interface Span {
  readonly begun: number;
  readonly ended: number;
}

/**
 * Sends transactions to the table one after the other, while reads go on, and records what each changed in contacts. So it knows which
 * states there were between a request and its response.
 */
export class CommitOrder {
  readonly #commits: Commit[] = [];
  #tick = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(table: FaultyTable) {
    table.always('TransactWriteItemsCommand', (next, input = {}) => {
      const turn = this.#last.then(async () => {
        const begun = this.#next();
        const result = await next();
        this.#commits.push({ begun, ended: this.#next(), effects: effectsOf(input) });
        return result;
      });
      this.#last = turn.catch(() => undefined);
      return turn;
    });
  }

  async during<Result>(ask: () => Promise<Result>): Promise<{ result: Result; span: Span }> {
    const begun = this.#next();
    const result = await ask();
    return { result, span: { begun, ended: this.#next() } };
  }

  /** Every state that the contacts had in this time: at least one. */
  *statesIn({ begun, ended }: Span): Generator<Contacts> {
    const state = new Map<string, StoredContact>();
    for (const commit of this.#commits) {
      if (commit.begun > ended) {
        break;
      }
      if (commit.ended > begun) {
        yield state;
      }
      for (const { id, contact } of commit.effects) {
        if (contact === undefined) {
          state.delete(id);
        } else {
          state.set(id, contact);
        }
      }
    }
    yield state;
  }

  #next(): number {
    this.#tick += 1;
    return this.#tick;
  }
}

interface Written {
  readonly TransactItems?: readonly {
    readonly Put?: { readonly Item: Record<string, never> };
    readonly Delete?: { readonly Key: Record<string, never> };
  }[];
}

function effectsOf({ TransactItems = [] }: Written): Commit['effects'] {
  return TransactItems.flatMap(({ Put, Delete }) => {
    const { pk = '', sk = '', data } = unmarshall(Put?.Item ?? Delete?.Key ?? {});
    const id = String(pk).split('#').at(-1) ?? '';
    return sk === 'CONTACT' ? [{ id, contact: Put && unpacked<StoredContact>(data) }] : [];
  });
}
