import { cardOf } from '../../../shared/contacts/card.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { shardOf, viewsOf } from '../../../shared/contacts/filing.ts';
import { keys, type View } from '../../../shared/table/keys.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';

/** What DynamoDB takes in one transaction. */
const stepsPerTransaction = 100;
/** Transactions under way at once: one is prepared while the database works on another. */
const inFlight = 3;

export type Source<Item> = Iterable<Item> | AsyncIterable<Item>;

/**
 * Writes steps in transactions of 100, whatever lies at their keys: doing it again changes nothing. No two of them may
 * write the same item. Holds a few hundred steps in memory, however many the source yields.
 */
export async function writeSteps(table: TableWriter, steps: Source<Step>): Promise<void> {
  const transactions = chunks(steps);
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      try {
        for await (const transaction of shared(transactions)) {
          await table.commit(transaction);
        }
      } catch (error) {
        await transactions.return();
        throw error;
      }
    }),
  );
}

/**
 * Writes contacts as their creation and every change since would have left them: records, entries on the board, locks of
 * phone numbers, and at last the counters, each once. The contacts' stages must be empty before, or hold these contacts
 * already.
 */
export async function writeContacts(table: TableWriter, contacts: Source<StoredContact>): Promise<void> {
  const counters = new Counters();
  await writeSteps(table, filed(table, contacts, counters));
  await writeSteps(table, counters.steps(table));
}

async function* filed(
  table: TableWriter,
  contacts: Source<StoredContact>,
  counters: Counters,
): AsyncGenerator<Step> {
  for await (const contact of contacts) {
    yield table.add(keys.contact(contact._id), contact);
    const card = cardOf(contact);
    for (const view of viewsOf(contact)) {
      yield table.put(keys.boardEntry(contact.stageId, view, contact), card);
      counters.count(contact, view);
    }
    for (const { value } of contact.phoneNumbers) {
      yield table.add(keys.phone(value), { contactId: contact._id });
    }
  }
}

/** Counts contacts by stage, view and shard. */
class Counters {
  readonly #counted = new Map<string, { stageId: string; view: View; shard: number; contacts: number }>();

  count({ _id, stageId }: StoredContact, view: View): void {
    const shard = shardOf(_id);
    const name = [stageId, ...view, shard].join();
    const counter = this.#counted.get(name) ?? { stageId, view, shard, contacts: 0 };
    counter.contacts += 1;
    this.#counted.set(name, counter);
  }

  /** Sets numbers rather than adding to them, so that a repetition counts nothing twice; leaves the default stage's mark. */
  *steps(table: TableWriter): Generator<Step> {
    for (const { stageId, view, shard, contacts } of this.#counted.values()) {
      yield table.change(keys.boardCounter(stageId, view, shard), {
        update: 'SET n = :n, v = :v',
        values: { n: contacts, v: contacts },
      });
    }
  }
}

async function* chunks(steps: Source<Step>): AsyncGenerator<Step[], void, undefined> {
  let chunk: Step[] = [];
  for await (const step of steps) {
    chunk.push(unconditional(step));
    if (chunk.length === stepsPerTransaction) {
      yield chunk;
      chunk = [];
    }
  }
  yield chunk;
}

/** The generator's rest, for one of several readers: it stays open when a reader ends. */
function shared<Item>(generator: AsyncGenerator<Item, void, undefined>): AsyncIterable<Item> {
  return { [Symbol.asyncIterator]: () => ({ next: () => generator.next() }) };
}

function unconditional(step: Step): Step {
  const { Put: put } = step.request as { Put?: Record<string, unknown> };
  if (put === undefined) {
    return step;
  }
  const { TableName, Item } = put;
  return { request: { Put: { TableName, Item } } };
}
