import { boardCounterKey } from '../../shared/board/card.ts';
import { type Entry, entriesOf, shardOf } from '../../shared/board/entries.ts';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import { phoneLockKey } from '../../shared/contacts/phone-numbers.ts';
import type { Step, TableWriter } from '../../shared/table/table.ts';
import type { View } from '../../shared/views.ts';

/** What DynamoDB takes in one transaction. */
const stepsPerTransaction = 100;
/** Transactions under way at once: one is prepared while the database works on another. */
const inFlight = 3;

type Source<Item> = Iterable<Item> | AsyncIterable<Item>;

/**
 * Writes steps in transactions of 100, whatever lies at their keys: doing it again changes nothing. No two of them may
 * write the same item. Holds a few hundred steps in memory, however many the source yields.
 */
async function writeSteps(table: Pick<TableWriter, 'commit'>, steps: Source<Step>): Promise<void> {
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
 * Writes contacts as their creation and every change since would have left them: records, entries of boards, locks of phone
 * numbers, and at last the counters, each once. The stages must be empty before, or hold these contacts already.
 */
export async function writeContacts(table: TableWriter, contacts: Source<StoredContact>): Promise<void> {
  const counters = new Counters();
  await writeSteps(table, contactSteps(table, contacts, counters));
  await writeSteps(table, counters.steps(table));
}

async function* contactSteps(
  table: TableWriter,
  contacts: Source<StoredContact>,
  counters: Counters,
): AsyncGenerator<Step> {
  for await (const contact of contacts) {
    yield table.add(contactKey(contact._id), contact);
    for (const entry of entriesOf({ contact, conversations: [], applications: [] }).values()) {
      yield table.put(entry.key, entry.data);
      counters.count(entry);
    }
    for (const { value } of contact.phoneNumbers) {
      yield table.add(phoneLockKey(value), { contactId: contact._id });
    }
  }
}

/** Counts entries by stage, view and shard. */
class Counters {
  readonly #counted = new Map<string, { stageId: string; view: View; shard: number; entries: number }>();

  count({ of, counted }: Entry): void {
    if (counted === undefined) {
      return;
    }
    const { stageId, view } = counted;
    const shard = shardOf(of);
    const name = [stageId, ...view, shard].join();
    const counter = this.#counted.get(name) ?? { stageId, view, shard, entries: 0 };
    counter.entries += 1;
    this.#counted.set(name, counter);
  }

  /** Sets numbers rather than adding to them, so that a repetition counts nothing twice; leaves the default stage's mark. */
  *steps(table: TableWriter): Generator<Step> {
    for (const { stageId, view, shard, entries } of this.#counted.values()) {
      yield table.change(boardCounterKey(stageId, view, shard), {
        update: 'SET n = :n, v = :v',
        values: { n: entries, v: entries },
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
