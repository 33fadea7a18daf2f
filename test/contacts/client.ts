import { readAggregate, toContactState } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import type { Contact } from '../../shared/contacts/contact.ts';
import { after, hour } from '../../shared/kernel/time.ts';
import type { Call } from '../harness/call.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';

export type ContactRecord = Contact;

export type BoardResponse = Record<string, { contacts: ContactRecord[]; total: number }>;

/** The fields of a contact that its messages set. */
export interface Touch {
  lastMessageAt?: string;
  lastMessageDirection?: 'inbound' | 'outbound';
  conversationAssignees?: string[];
}

type Fields = Record<string, unknown>;

export type ContactsClient = ReturnType<typeof contactsClient>;

/** The operations on contacts, as one person calls them. */
export function contactsClient(product: Product, { token }: Person, headers: Record<string, string> = {}) {
  const call = (name: string, more: Call) => product.call(name, { token, headers, ...more });
  const create = (body: Fields, at?: Date) => call('create-contact', { body, at });
  const list = (body: Fields = {}, at?: Date) => call('list-contacts-by-stage', { body, at });
  const board = async (body?: Fields, at?: Date): Promise<BoardResponse> =>
    expectStatus(await list(body, at), 200).data;
  return {
    create,
    read: (id: string) => call('read-contact', { path: { id } }),
    update: (id: string, body: Fields, at?: Date) => call('update-contact', { path: { id }, body, at }),
    move: (id: string, body: Fields, at?: Date) => call('move-contact', { path: { id }, body, at }),
    remove: (id: string) => call('delete-contact', { path: { id } }),
    list,
    /** A new contact's record; creating it must succeed. */
    created: async (body: Fields, at?: Date): Promise<ContactRecord> =>
      expectStatus(await create(body, at), 201).data,
    /** The columns of the board; reading them must succeed. */
    board,
    /** Everything a filter lets through, by paging to the end. */
    everything: (body: Fields = {}, at?: Date) =>
      everyColumn((page) => board({ ...body, size: 100, ...page }, at)),
  };
}

/** Everything on a board, by paging to the end of each column; each total must be the number of what was paged through. */
export async function everyColumn<Item>(
  board: (page: Fields) => Promise<Record<string, { contacts: Item[]; total: number }>>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (const [stage, { contacts, total }] of Object.entries(await board({}))) {
    const column = [...contacts];
    for (let page = 2; column.length < total; page += 1) {
      const next = (await board({ page: { [stage]: page } }))[stage];
      if (!next?.contacts.length) {
        break;
      }
      column.push(...next.contacts);
    }
    if (column.length !== total) {
      throw new Error(`${stage} says ${total} and shows ${column.length} contacts`);
    }
    all.push(...column);
  }
  return all;
}

/** Sets the fields that messages set on a contact, in the same way as the product does. */
export async function touch(
  product: Product,
  organizationId: string,
  contactId: string,
  touched: Touch,
): Promise<void> {
  const { table } = product.tableOf(organizationId);
  const aggregate = await readAggregate(table, contactId);
  if (aggregate === undefined) {
    throw new Error(`There is no contact ${contactId}`);
  }
  const contact = { ...aggregate.contact.data, ...touched };
  await table.commit(contactWrites(table, aggregate, { ...toContactState(aggregate), contact }));
}

/** So many hours before `now`: for a contact that must be older than another one. */
export function hoursAgo(hours: number, now = new Date()): Date {
  return after(now, -hours * hour);
}

/** The client of the ADMIN of a new organization. */
export async function newContactsClient(product: Product): Promise<ContactsClient & { admin: Person }> {
  const admin = await product.newOrganization();
  return { admin, ...contactsClient(product, admin) };
}

/** The first names that a query lets through, in the board's order; every total is checked on the way. */
export async function namesIn(
  contacts: ContactsClient,
  body: Record<string, unknown>,
  at?: Date,
): Promise<string[]> {
  return (await contacts.everything(body, at)).map(({ firstName }) => firstName);
}
