import type { Counted } from '../../shared/board/counter-actions.ts';
import { attributesFor, boardCounterKey } from '../../shared/board/counters.ts';
import { type Entry, entriesOf, placeOf } from '../../shared/contact-aggregate/entries.ts';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import { phoneLockKey } from '../../shared/contacts/phone-numbers.ts';
import type { Key } from '../../shared/table/key.ts';
import type { Action, TableWriter } from '../../shared/table/table.ts';

/** What DynamoDB takes in one transaction. */
const actionsPerTransaction = 100;
/** More changes than a counter remembers. */
const beyondFollowing = 9;
/** Transactions under way at once: one is prepared while the database works on another. */
const inFlight = 3;

type Source<Item> = Iterable<Item> | AsyncIterable<Item>;

/**
 * Writes actions in transactions of 100, whatever lies at their keys: doing it again changes nothing. No two of them may
 * write the same item. Holds a few hundred actions in memory, however many the source yields.
 */
async function writeActions(table: Pick<TableWriter, 'commit'>, actions: Source<Action>): Promise<void> {
  const transactions = chunks(actions);
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
  await writeActions(table, contactActions(table, contacts, counters));
  await writeActions(table, counters.actions(table));
}

async function* contactActions(
  table: TableWriter,
  contacts: Source<StoredContact>,
  counters: Counters,
): AsyncGenerator<Action> {
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
  readonly #counts = new Map<
    string,
    { counter: Key<never>; counted: Counted; stages: Map<string, number> }
  >();

  count({ counted }: Entry): void {
    if (counted !== undefined) {
      const { pipelineId, view, shard, stageId } = counted;
      const counter = boardCounterKey(pipelineId, view, shard);
      const place = placeOf(counter);
      const known = this.#counts.get(place) ?? { counter, counted, stages: new Map() };
      known.stages.set(stageId, (known.stages.get(stageId) ?? 0) + 1);
      this.#counts.set(place, known);
    }
  }

  /**
   * Sets numbers rather than adding to them, so that a repetition counts nothing twice; leaves the default stage's mark. Versions
   * rise, and so many changes are counted that nobody can follow them: who keeps any of these columns reads all of it again.
   */
  *actions(table: TableWriter): Generator<Action> {
    for (const { counter, counted, stages } of this.#counts.values()) {
      const own = [...stages].map(([stageId, entries]) => ({ ...attributesFor(stageId), entries }));
      const sets = own.map(({ count }, index) => `${count} = :n${index}`);
      const adds = own.map(({ version }, index) => `${version} :n${index}`);
      const total = own.reduce((sum, { entries }) => sum + entries, 0);
      const values = Object.fromEntries(own.map(({ entries }, index) => [`n${index}`, entries]));
      yield table.updateAction(
        counter,
        counted.view[0] === 'all'
          ? {
              update: `SET ${sets.join(', ')} ADD ${[...adds, 'changes :changes'].join(', ')}`,
              values: { ...values, changes: total + beyondFollowing },
            }
          : { update: `SET ${sets.join(', ')}`, values },
      );
    }
  }
}

async function* chunks(actions: Source<Action>): AsyncGenerator<Action[], void, undefined> {
  let chunk: Action[] = [];
  for await (const action of actions) {
    chunk.push(unconditional(action));
    if (chunk.length === actionsPerTransaction) {
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

function unconditional(action: Action): Action {
  const { Put: put } = action.request as { Put?: Record<string, unknown> };
  if (put === undefined) {
    return action;
  }
  const { TableName, Item } = put;
  return { request: { Put: { TableName, Item } } };
}
