import type { Counted } from '../../shared/contact-aggregate/counter-actions.ts';
import { attributesFor, boardCounterKey } from '../../shared/contact-aggregate/counters.ts';
import { type Entry, keyText, toEntries } from '../../shared/contact-aggregate/entries.ts';
import { lookupActions } from '../../shared/contact-aggregate/lookup-actions.ts';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import { phoneLockKey } from '../../shared/contacts/phone-numbers.ts';
import type { Key } from '../../shared/table/key.ts';
import type { Action, TableWriter } from '../../shared/table/table.ts';

/** Actions that DynamoDB takes in one transaction. */
const actionsPerTransaction = 100;
/** More changes than a counter remembers, so that no cache can follow them. */
const beyondFollowing = 9;
/** Transactions in flight: one is prepared while the database works on another. */
const inFlight = 3;

type Source<Item> = Iterable<Item> | AsyncIterable<Item>;

/**
 * Writes actions in transactions of 100, whatever is stored at their keys: repeating it changes nothing. No two actions may
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
 * Writes contacts as their creation and all later changes would have left them: records, entries of boards, locks of phone
 * numbers, and finally the counters, each once. The stages must be empty, or have exactly these contacts already.
 * @param others contacts that the stages have, too: they are counted with the rest, but not written again.
 */
export async function writeContacts(
  table: TableWriter,
  contacts: Source<StoredContact>,
  others: Iterable<StoredContact> = [],
): Promise<void> {
  const counters = new Counters();
  for (const contact of others) {
    for (const entry of boardEntriesOf(contact)) {
      counters.count(entry);
    }
  }
  await writeActions(table, contactActions(table, contacts, counters));
  await writeActions(table, counters.actions(table));
}

const boardEntriesOf = (contact: StoredContact) =>
  toEntries({ contact, conversations: [], applications: [] });

async function* contactActions(
  table: TableWriter,
  contacts: Source<StoredContact>,
  counters: Counters,
): AsyncGenerator<Action> {
  for await (const contact of contacts) {
    yield table.add(contactKey(contact._id), contact);
    for (const entry of boardEntriesOf(contact)) {
      yield table.put(entry.key, entry.data);
      counters.count(entry);
    }
    yield* lookupActions(table, undefined, contact);
    for (const { value } of contact.phoneNumbers) {
      yield table.updateAction(phoneLockKey(value), {
        update: 'SET contactId = :contactId, version = :one',
        values: { contactId: contact._id, one: 1 },
      });
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
      const key = keyText(counter);
      const known = this.#counts.get(key) ?? { counter, counted, stages: new Map() };
      known.stages.set(stageId, (known.stages.get(stageId) ?? 0) + 1);
      this.#counts.set(key, known);
    }
  }

  /**
   * Sets numbers instead of adding to them, so that a repetition counts nothing twice; the mark of the default stage stays. Versions
   * rise, and so many changes are counted that no cache can follow them: whoever has cached one of these columns reads it again.
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

/** Lets several readers share a generator: it stays open when one of them ends. */
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
