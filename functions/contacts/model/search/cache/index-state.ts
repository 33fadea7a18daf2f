import type { BoardCounters, ContactChange } from '../../../../../shared/contact-aggregate/counters.ts';
import type { TableReader } from '../../../../../shared/table/table.ts';
import { changedRecords } from '../changes/changed-contacts.ts';
import type { KnownChanges } from '../changes/known-changes.ts';
import type { SearchIndex } from '../index/search-index.ts';
import { type IndexedContact, indexedContact } from '../indexed-contact.ts';
import { FoundCards } from './found-cards.ts';

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

  /** Whether some contacts already show changes later than those that were applied. */
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
    const records = await changedRecords(table, this.#pipelineId, unread);
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
