import type { StoredContact } from '../contacts/contact.ts';
import type { StoredEvent } from '../events/outbox.ts';
import type { Key } from '../table/key.ts';
import type { Action, PutOptions, TableWriter } from '../table/table.ts';

/** How a transaction of a job writes a contact. */
export interface ContactWrite {
  readonly contactId: string;
  readonly status: 'created' | 'updated' | 'deleted';
  /** Before the write, where the write depends on it. */
  readonly version?: number | undefined;
  /** Absent for one that is only touched or deleted. */
  readonly before?: StoredContact;
  readonly after?: StoredContact;
}

/** A table that knows what some of its actions are. */
export interface RecordTable {
  readonly table: TableWriter;
  /** How these actions write a contact; undefined if they write none. */
  contactAmong(actions: readonly Action[]): ContactWrite | undefined;
  /** The events among these actions, with what is stored and what is left out of it. */
  eventsAmong(actions: readonly Action[]): StoredEvent[];
}

/** @param toStored the event to store in place of one. */
export function recordTable(table: TableWriter, toStored: (event: StoredEvent) => StoredEvent): RecordTable {
  const contacts = new Map<Action, ContactWrite>();
  const events = new Map<Action, StoredEvent>();
  const note = (action: Action, key: Key<unknown>, write: Omit<ContactWrite, 'contactId'>): Action => {
    const [kind, contactId] = key.partition;
    if (kind === 'CONTACT' && contactId !== undefined && key.sort.length === 1 && key.sort[0] === 'CONTACT') {
      contacts.set(action, { contactId, ...write });
    }
    return action;
  };
  return {
    table: {
      ...table,
      add: (key, data, options) =>
        note(table.add(key, data, options), key, { status: 'created', after: data as StoredContact }),
      replace: (stored, data, options) =>
        note(table.replace(stored, data, options), stored.key, {
          status: 'updated',
          version: stored.version,
          before: stored.data as StoredContact,
          after: data as StoredContact,
        }),
      delete: (key, options) =>
        note(table.delete(key, options), key, {
          status: 'deleted',
          version: options && 'ifVersion' in options ? options.ifVersion : undefined,
        }),
      updateAction: (key, change) => note(table.updateAction(key, change), key, { status: 'updated' }),
      put<Data>(key: Key<Data>, data: NoInfer<Data>, options?: PutOptions) {
        if (key.sort[0] !== 'EVENT') {
          return table.put(key, data, options);
        }
        const event = data as StoredEvent;
        const stored = toStored(event);
        const action = table.put(key as Key<unknown>, stored, options);
        events.set(action, { ...event, ...stored });
        return action;
      },
    },
    contactAmong: (actions) => actions.flatMap((action) => contacts.get(action) ?? [])[0],
    eventsAmong: (actions) => actions.flatMap((action) => events.get(action) ?? []),
  };
}
