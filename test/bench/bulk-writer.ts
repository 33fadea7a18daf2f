import { type Entry, entriesOf, placeOf } from '../../shared/contact-aggregate/entries.ts';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import { phoneLockKey } from '../../shared/contacts/phone-numbers.ts';
import type { Key } from '../../shared/table/key.ts';
import type { Step, TableWriter } from '../../shared/table/table.ts';

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
    for (const entry of entriesOf({ contact, conversations: [], applications: [] })) {
      yield table.put(entry.key, entry.data);
      counters.count(entry);
    }
    for (const { value } of contact.phoneNumbers) {
      yield table.add(phoneLockKey(value), { contactId: contact._id });
    }
  }
}

/** How many entries each counter of a board counts. */
class Counters {
  readonly #counts = new Map<string, { counter: Key<never>; entries: number }>();

  count({ counter }: Entry): void {
    if (counter !== undefined) {
      const place = placeOf(counter);
      this.#counts.set(place, { counter, entries: (this.#counts.get(place)?.entries ?? 0) + 1 });
    }
  }

  /** Sets numbers rather than adding to them, so that a repetition counts nothing twice; leaves the default stage's mark. */
  *steps(table: TableWriter): Generator<Step> {
    for (const { counter, entries } of this.#counts.values()) {
      yield table.updateStep(counter, { update: 'SET n = :n, v = :v', values: { n: entries, v: entries } });
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
