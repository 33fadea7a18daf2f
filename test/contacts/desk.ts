import { aggregateOf, stateOf } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import type { Contact } from '../../shared/contacts/contact.ts';
import { after, hour, hourOf } from '../../shared/kernel/time.ts';
import type { StoredEvent } from '../../shared/live/outbox.ts';
import { eventKey } from '../../shared/live/outbox.ts';
import type { Answer, Person, Product } from '../harness/product.ts';
import { expectStatus } from '../harness/world.ts';

export type ContactRecord = Contact;

export type BoardResponse = Record<string, { contacts: ContactRecord[]; total: number }>;

/** What the messages of a contact leave on its record. */
export interface Touch {
  lastMessageAt?: string;
  lastMessageDirection?: 'inbound' | 'outbound';
  conversationAssignees?: string[];
}

/** The operations on contacts, as one person calls them. */
export interface Desk {
  create(body: Record<string, unknown>, at?: Date): Promise<Answer>;
  read(id: string): Promise<Answer>;
  update(id: string, body: Record<string, unknown>, at?: Date): Promise<Answer>;
  move(id: string, body: Record<string, unknown>, at?: Date): Promise<Answer>;
  remove(id: string): Promise<Answer>;
  list(body?: Record<string, unknown>, at?: Date): Promise<Answer>;
  /** A new contact's record; creating it must succeed. */
  created(body: Record<string, unknown>, at?: Date): Promise<ContactRecord>;
  /** The columns of the board; reading them must succeed. */
  board(body?: Record<string, unknown>, at?: Date): Promise<BoardResponse>;
  /** Everything a filter lets through, by paging to the end; each total must be the number of contacts paged through. */
  everything(body?: Record<string, unknown>, at?: Date): Promise<ContactRecord[]>;
}

export function deskOf(product: Product, { token }: Person): Desk {
  const call = (name: string, more: object, at: Date | undefined) =>
    product.call(name, { token, ...more, ...(at === undefined ? {} : { at }) });
  const list = (body: Record<string, unknown> = {}, at?: Date) =>
    call('list-contacts-by-stage', { body }, at);
  const board = async (body: Record<string, unknown> = {}, at?: Date): Promise<BoardResponse> =>
    expectStatus(await list(body, at), 200).data;
  return {
    create: (body, at) => call('create-contact', { body }, at),
    read: (id) => call('read-contact', { path: { id } }, undefined),
    update: (id, body, at) => call('update-contact', { path: { id }, body }, at),
    move: (id, body, at) => call('move-contact', { path: { id }, body }, at),
    remove: (id) => call('delete-contact', { path: { id } }, undefined),
    list,
    created: async (body, at) => expectStatus(await call('create-contact', { body }, at), 201).data,
    board,
    async everything(body = {}, at) {
      const size = 100;
      const all: ContactRecord[] = [];
      const first = await board({ ...body, size }, at);
      for (const [stage, { contacts, total }] of Object.entries(first)) {
        const column = [...contacts];
        for (let page = 2; column.length < total; page += 1) {
          const next = (await board({ ...body, size, page: { [stage]: page } }, at))[stage];
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
    },
  };
}

/** Leaves on a contact what its messages will leave there, the way the product files every change. */
export async function touch(
  product: Product,
  organizationId: string,
  contactId: string,
  touched: Touch,
): Promise<void> {
  const { table } = product.tableOf(organizationId);
  const aggregate = await aggregateOf(table, contactId);
  if (aggregate === undefined) {
    throw new Error(`There is no contact ${contactId}`);
  }
  const contact = { ...aggregate.contact.data, ...touched };
  await table.commit(contactWrites(table, aggregate, { ...stateOf(aggregate), contact }));
}

/** The organization's events of the last two hours, oldest first. */
export async function eventsOf(product: Product, organizationId: string): Promise<StoredEvent[]> {
  const { table, moment } = product.tableOf(organizationId);
  const hours = [new Date(moment.now.getTime() - 3_600_000), moment.now].map(hourOf);
  const byHour = await Promise.all(
    hours.map((hour) => {
      const { partition } = eventKey(hour, 'any');
      return table.list<StoredEvent>({ partition, under: ['EVENT'] });
    }),
  );
  return byHour.flat().map(({ data }) => data);
}

/** So many hours before `now`, as a contact that is older than another one needs. */
export function hoursAgo(hours: number, now = new Date()): Date {
  return after(now, -hours * hour);
}

/** The desk of the ADMIN of a new organization. */
export async function newDesk(product: Product): Promise<Desk & { admin: Person }> {
  const admin = await product.newOrganization();
  return { admin, ...deskOf(product, admin) };
}

/** The first names that a query lets through, in the board's order; every total is checked on the way. */
export async function namesIn(desk: Desk, body: Record<string, unknown>, at?: Date): Promise<string[]> {
  return (await desk.everything(body, at)).map(({ firstName }) => firstName);
}
