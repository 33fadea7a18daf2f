import type { BoardCounters, ContactChange } from '../contact-aggregate/counters.ts';
import { contactKey, type StoredContact } from '../contacts/contact.ts';
import { readAll } from '../table/read-all.ts';
import type { TableReader } from '../table/table.ts';
import { contactBytes, type IndexedContact, indexedContact } from './indexed-contact.ts';
import { type KnownChanges, readChangedRecords } from './known-changes.ts';
import type { SearchIndex } from './search-index.ts';

/** The contacts of a cached index, with the cards that were found. */
export class IndexState {
  readonly index: SearchIndex;
  readonly cards = new FoundCards();
  readonly #pipelineId: string;
  /** Contacts whose records were read at a later version than the counters show. */
  readonly #ahead = new Set<string>();
  #revision = 0;

  constructor(pipelineId: string, index: SearchIndex) {
    this.#pipelineId = pipelineId;
    this.index = index;
  }

  /** Raised by every change. */
  get revision(): number {
    return this.#revision;
  }

  /** Whether some contacts already show changes later than the applied ones. */
  get isAhead(): boolean {
    return this.#ahead.size > 0;
  }

  /** From now on no contact counts as ahead: the version of a record also rises with children of the contact. */
  settle(): void {
    this.#ahead.clear();
  }

  /** Takes over the contacts of these changes. False if some are not visible yet. */
  async apply(table: TableReader, changes: readonly ContactChange[], known: KnownChanges): Promise<boolean> {
    const unread: ContactChange[] = [];
    for (const change of changes) {
      const { contactId, version } = change;
      const row = known.row(change);
      if (version === 0) {
        this.#set(contactId, { version: Number.POSITIVE_INFINITY, contact: undefined });
      } else if (this.index.hasSeen(contactId, version)) {
        this.#compare(change, this.index.changed.get(contactId)?.version ?? version);
      } else if (row !== undefined) {
        this.#set(contactId, row);
        this.#compare(change, row.version);
      } else {
        unread.push(change);
      }
    }
    const records = await readChangedRecords(table, this.#pipelineId, unread);
    for (const [index, record] of records.entries()) {
      if (record !== undefined) {
        const change = unread[index] as ContactChange;
        const { version, contact } = record;
        this.#set(change.contactId, { version, contact: contact && indexedContact(contact) });
        this.#compare(change, version);
        if (contact !== undefined) {
          this.cards.putContact(contact);
        }
      }
    }
    return !records.includes(undefined);
  }

  /** Whether the index has as many contacts in each of these stages, and in its own, as the counters say. */
  agrees(counters: BoardCounters, stageIds: Iterable<string>): boolean {
    return [...new Set([...stageIds, ...this.index.stageIds])].every(
      (stageId) => this.index.size(stageId) === counters.of(stageId).total,
    );
  }

  #set(
    contactId: string,
    { version, contact }: { version: number; contact: IndexedContact | undefined },
  ): void {
    if (contact === undefined) {
      this.index.remove(contactId, version);
    } else {
      this.index.put(contact, version);
    }
    this.cards.delete(contactId);
    this.#revision += 1;
  }

  #compare({ contactId, version }: ContactChange, read: number): void {
    if (read > version) {
      this.#ahead.add(contactId);
    } else {
      this.#ahead.delete(contactId);
    }
  }
}

/** Characters of all cards of an index; a card has about 700. */
const capacity = 12 * 1024 * 1024;

/** How the cards of a board are written. */
export interface CardTexts {
  /** Cards that were written for another version are written again. */
  readonly version: number;
  textOf(contact: StoredContact): string;
}

/** The cards of found contacts as JSON text, each until its contact changes. */
class FoundCards {
  readonly #texts = new Map<string, string>();
  /** Contacts of the index's state that were read for another reason. */
  readonly #contacts = new Map<string, StoredContact>();
  #size = 0;
  #bytesOfContacts = 0;
  #version = -1;

  /** The card; undefined if it must be read. */
  text(contactId: string, { version, textOf }: CardTexts): string | undefined {
    if (version !== this.#version) {
      this.#clearTexts();
      this.#version = version;
    }
    const known = this.#texts.get(contactId);
    const contact = known === undefined ? this.#contacts.get(contactId) : undefined;
    if (contact === undefined) {
      return known;
    }
    const text = textOf(contact);
    this.#texts.set(contactId, text);
    this.#size += text.length;
    return text;
  }

  putContact(contact: StoredContact): void {
    this.#deleteContact(contact._id);
    this.#contacts.set(contact._id, contact);
    this.#bytesOfContacts += contactBytes(contact);
  }

  /** Removes a contact that changed. */
  delete(contactId: string): void {
    this.#deleteContact(contactId);
    this.#size -= this.#texts.get(contactId)?.length ?? 0;
    this.#texts.delete(contactId);
  }

  /**
   * Reads contacts of the index. `isSettled` says that what did not change since its blocks were written can be read at half the price.
   * Leaves out what is not visible yet, and what changes at this moment.
   */
  async read(
    table: TableReader,
    index: SearchIndex,
    contactIds: readonly string[],
    { isSettled, pipelineId }: { isSettled: boolean; pipelineId: string },
  ): Promise<void> {
    if (this.#size > capacity) {
      this.clear();
    }
    const isChanged = (id: string) => index.changed.has(id);
    const changed = contactIds.filter(isChanged);
    const unchanged = contactIds.filter((id) => !isChanged(id));
    const known = new Map(contactIds.map((id) => [id, index.changed.get(id)]));
    const read = (ids: string[], consistent: boolean) =>
      readAll(
        table,
        ids.map((id) => contactKey(id)),
        { consistent },
      );
    const records = await Promise.all([read(changed, true), read(unchanged, !isSettled)]);
    for (const record of records.flat()) {
      const before = known.get(record?.data._id ?? '');
      if (
        record?.data.pipelineId === pipelineId &&
        index.changed.get(record.data._id) === before &&
        record.version >= (before?.version ?? 0)
      ) {
        this.putContact(record.data);
      }
    }
  }

  get bytes(): number {
    return 2 * this.#size + this.#bytesOfContacts;
  }

  clear(): void {
    this.#clearTexts();
    this.#contacts.clear();
    this.#bytesOfContacts = 0;
  }

  #deleteContact(contactId: string): void {
    const contact = this.#contacts.get(contactId);
    if (contact !== undefined) {
      this.#contacts.delete(contactId);
      this.#bytesOfContacts -= contactBytes(contact);
    }
  }

  #clearTexts(): void {
    this.#texts.clear();
    this.#size = 0;
  }
}
