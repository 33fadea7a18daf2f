import { contactKey, type StoredContact } from '../../../../../shared/contacts/contact.ts';
import { readAll } from '../../../../../shared/table/read-all.ts';
import type { TableReader } from '../../../../../shared/table/table.ts';
import type { Board } from '../../board-plan.ts';
import { toBoardResponse } from '../../board-response.ts';
import type { SearchIndex } from '../index/search-index.ts';
import { bytesOf } from '../indexed-contact.ts';

/** Characters of all cards of an index; a card has about 700. */
const capacity = 12 * 1024 * 1024;

/** The cards of found contacts as JSON text, each until its contact changes. */
export class FoundCards {
  readonly #texts = new Map<string, string>();
  /** Contacts of the index's state that were read for another reason. */
  readonly #contacts = new Map<string, StoredContact>();
  #size = 0;
  #bytesOfContacts = 0;
  #pipelinesVersion = -1;

  /** The card; undefined if it must be read. */
  text(
    contactId: string,
    { stages, pipelinesVersion }: Pick<Board, 'stages' | 'pipelinesVersion'>,
  ): string | undefined {
    if (pipelinesVersion !== this.#pipelinesVersion) {
      this.#clearTexts();
      this.#pipelinesVersion = pipelinesVersion;
    }
    const known = this.#texts.get(contactId);
    const contact = known === undefined ? this.#contacts.get(contactId) : undefined;
    if (contact === undefined) {
      return known;
    }
    const text = JSON.stringify(toBoardResponse(contact, stages));
    this.#texts.set(contactId, text);
    this.#size += text.length;
    return text;
  }

  putContact(contact: StoredContact): void {
    this.#deleteContact(contact._id);
    this.#contacts.set(contact._id, contact);
    this.#bytesOfContacts += bytesOf(contact);
  }

  /** Removes a contact that changed. */
  delete(contactId: string): void {
    this.#deleteContact(contactId);
    this.#size -= this.#texts.get(contactId)?.length ?? 0;
    this.#texts.delete(contactId);
  }

  /**
   * Reads contacts of the index. `isSettled` says that what did not change since its segments were written can be read at half the price.
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
      this.#bytesOfContacts -= bytesOf(contact);
    }
  }

  #clearTexts(): void {
    this.#texts.clear();
    this.#size = 0;
  }
}
