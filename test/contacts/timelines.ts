import { ulid } from 'ulid';
import { type TimelineChange, timelineChangeKey } from '../../shared/contacts/timeline-change.ts';
import { childId } from '../../shared/kernel/child-id.ts';
import { chunks } from '../../shared/kernel/chunks.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { newNote, noteKey } from '../../shared/notes/note.ts';
import type { Key } from '../../shared/table/key.ts';
import type { Call } from '../harness/call.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';

export interface Entry {
  readonly _id: string;
  readonly at: string;
  readonly type: string;
  readonly actor: { readonly type: string; readonly id?: string; readonly name?: string };
  readonly summary: string;
  readonly refs: Readonly<Record<string, string>>;
}

/** The product with the reader of the stream that writes timelines, and people with a contact. */
export async function setUpTimelines() {
  const tenants = await setUpTenants();
  const { product } = tenants;
  /** The log lines of the reader that writes timelines, newest last. */
  const written: Record<string, unknown>[] = [];
  const stream = await tableStream(product, (line) => {
    if (line.operation === 'write-timelines') {
      written.push(line);
    }
  });

  /** An organization with an administrator, Grace Hopper, and a rep, Alan Turing, who has a contact. */
  async function newPeople() {
    const admin = await product.newOrganization();
    const [grace, alan] = await product.newColleagues(admin, [
      { role: 'ADMIN', firstName: 'Grace', lastName: 'Hopper' },
      { role: 'SALES_REP', firstName: 'Alan', lastName: 'Turing' },
    ]);
    const call = async (name: string, more: Call = {}, by: Pick<Person, 'token'> = alan) =>
      arrange(product.call(name, { token: by.token, ...more }));
    const phone = newPhoneNumber();
    const body = { firstName: 'Ada', lastName: 'Lovelace', phoneNumbers: [{ value: phone }] };
    const { data: contact } = await call('create-contact', { body });
    const id = contact._id as string;
    const list = (query: Record<string, string> = {}, by: Pick<Person, 'token'> = alan, at?: Date) =>
      product.call('list-timeline', { token: by.token, path: { id }, query, at });
    /** What a person sees once everything that follows has happened. */
    const entries = async (query: Record<string, string> = {}, by: Pick<Person, 'token'> = alan) => {
      await stream.settle();
      return expectStatus(await list(query, by), 200).data as Entry[];
    };
    const summaries = async (query?: Record<string, string>, by?: Pick<Person, 'token'>) =>
      (await entries(query, by)).map(({ summary }) => summary);
    return { admin, grace, alan, id, phone, call, list, entries, summaries };
  }

  /** Writes records without what belongs to them elsewhere. */
  async function write(organizationId: string, rows: readonly { key: Key<unknown>; data: object }[]) {
    const { table } = product.tableOf(organizationId);
    for (const some of chunks(rows, 90)) {
      await table.commit(some.map(({ key, data }) => table.put(key, data)));
    }
  }

  return { tenants, product, written, stream, newPeople, write };
}

/** A change in a timeline. */
export const changeAt = (contactId: string, at: Date, type: 'created' | 'consent' = 'created') => {
  const _id = `${ulid(at.getTime())}-${type}`;
  const data: TimelineChange = {
    ...{ _id, type, at: timestamp(at), actor: { type: 'system' }, refs: {} },
    details: type === 'consent' ? { consent: 'out' } : {},
  };
  return { key: timelineChangeKey(contactId, _id), data };
};

/** A note. */
export const noteAt = (contactId: string, at: Date) => {
  const _id = childId(contactId, ulid(at.getTime()));
  const written = { _id, contactId, userId: 'nobody', note: 'A note', mentions: [], attachments: [] };
  return { key: noteKey(_id), data: newNote(written, timestamp(at)) };
};
