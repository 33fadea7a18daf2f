import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { copyName, listCursorText } from '../../functions/contacts/model/list-cursor.ts';
import { after, day, minute, second } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { type ContactRecord, contactsClient, everyColumn } from './client.ts';

const { product, admin, head, rep, otherRep, otherHead } = await setUpTenants();
const contacts = contactsClient(product, admin);
const sms = await newWebhookClient(product, admin, rep);

type Item = ContactRecord & { deletedAt?: string; reason?: string };
interface Page {
  data: Item[];
  nextCursor: string;
}

const read = (person: Person, query: Record<string, string>, at: Date) =>
  product.call('list-contacts', { token: person.token, query, at });

/** A program that keeps a copy of what a person may see, page by page. */
class Copy {
  readonly person: Person;
  readonly contacts = new Map<string, Item>();
  readonly reasons = new Map<string, string | undefined>();
  #cursor: string | undefined;

  constructor(person: Person) {
    this.person = person;
  }

  /** Reads a page; whether it was full. */
  async poll(at: Date): Promise<boolean> {
    const query = { limit: '10', updatedSince: '2000-01-01', withDeleted: 'true' };
    const cursor = this.#cursor === undefined ? {} : { cursor: this.#cursor };
    const page: Page = expectStatus(await read(this.person, { ...query, ...cursor }, at), 200);
    for (const item of page.data) {
      if (item.deletedAt === undefined) {
        this.contacts.set(item._id, item);
      } else {
        this.contacts.delete(item._id);
        this.reasons.set(item._id, item.reason);
      }
    }
    this.#cursor = page.nextCursor;
    return page.data.length === 10;
  }

  async catchUp(at: Date): Promise<void> {
    while (await this.poll(at)) {
      // The next page may be read at once.
    }
  }
}

/** A clock that goes on with everything that begins, but never so far that what has begun takes longer than a function may. */
class Clock {
  readonly #begun = new Map<symbol, number>();
  #time = Date.now();

  now(): Date {
    return new Date(this.#time);
  }

  async during(act: (at: Date) => Promise<unknown>): Promise<void> {
    const oldest = Math.min(this.#time, ...this.#begun.values());
    this.#time = Math.min(this.#time + randomInt(400), oldest + 29 * second);
    const mark = Symbol('begun');
    this.#begun.set(mark, this.#time);
    await act(this.now());
    this.#begun.delete(mark);
  }
}

const pick = <Value>(values: readonly Value[]): Value => values[randomInt(values.length)] as Value;
const byId = (some: Iterable<Item>) => [...some].sort((a, b) => (a._id < b._id ? -1 : 1));

test('A copy that is kept in pages of 10 beside 16 writers equals what each person sees in the end', async () => {
  const clock = new Clock();
  const ids: string[] = [];
  const numbers: string[] = [];
  const people = [rep, head, otherRep].map(({ userId }) => userId);
  const fields = () => ({ firstName: `F${randomInt(1_000)}`, owner: pick([...people, null]) });
  const { token } = admin;
  const acts: ((at: Date) => Promise<unknown>)[] = [
    async (at) => {
      const value = newPhoneNumber();
      const created = await contacts.created({ ...fields(), phoneNumbers: [{ value }] }, at);
      ids.push(created._id);
      numbers.push(value);
    },
    (at) => contacts.update(pick(ids), { ...fields(), assignees: pick([[], [pick(people)]]) }, at),
    (at) => contacts.update(pick(ids), { addTags: [`t${randomInt(50)}`] }, at),
    (at) => contacts.move(pick(ids), { stage: pick(['New', 'Won', 'Lost']) }, at),
    (at) => product.call('delete-contact', { token, path: { id: pick(ids) }, at }),
    (at) => product.call('archive-contact', { token, path: { id: pick(ids) }, at }),
    (at) => product.call('restore-contact', { token, path: { id: pick(ids) }, at }),
    (at) =>
      product.call('update-consent', {
        token,
        path: { id: pick(ids) },
        body: { sms: pick(['in', 'out']) },
        at,
      }),
    (at) => sms.text({ From: pick(numbers) }, { at }),
    (at) =>
      product.call('upsert-contact', {
        ...{ token, at },
        body: { match: 'phone', ...fields(), phoneNumbers: [{ value: pick(numbers) }] },
      }),
  ];
  for (let n = 0; n < 30; n += 1) {
    await clock.during(acts[0] as (at: Date) => Promise<unknown>);
  }
  const copies = [admin, head, rep, otherRep, otherHead].map((person) => new Copy(person));
  let left = 480;
  const write = async () => {
    while (left > 0) {
      left -= 1;
      await clock.during(left % 4 === 0 ? (acts[0] as (typeof acts)[number]) : pick(acts));
    }
  };
  const follow = async (copy: Copy) => {
    while (left > 0) {
      await copy.poll(clock.now());
    }
  };
  await Promise.all([...Array.from({ length: 16 }, write), ...copies.map(follow)]);

  const end = after(clock.now(), minute);
  for (const copy of copies) {
    await copy.catchUp(end);
    const seen = contactsClient(product, copy.person);
    const truth = await everyColumn((page) => seen.board({ size: 100, ...page }, end));
    expect(byId(copy.contacts.values())).toEqual(byId(truth as Item[]));
  }
  expect(new Set(copies.flatMap(({ reasons }) => [...reasons.values()]))).toEqual(
    new Set(['deleted', 'archived', 'out_of_scope']),
  );
});

test('Who may not see a contact learns nothing of its removal, and who still sees it is not told that it went', async () => {
  const at = new Date();
  const { _id } = await contacts.created({ firstName: 'Owned', owner: rep.userId }, at);
  const removals = async (person: Person) => {
    const query = { updatedSince: at.toISOString(), withDeleted: 'true' };
    const { data } = expectStatus(await read(person, query, after(new Date(), 2 * minute)), 200);
    return (data as Item[]).filter((item) => item._id === _id && item.deletedAt).map(({ reason }) => reason);
  };
  await arrange(contacts.update(_id, { owner: null }));
  const everybody = [admin, head, rep, otherRep, otherHead];
  const told = () => Promise.all(everybody.map(removals));
  expect(await told()).toEqual([[], ['out_of_scope'], ['out_of_scope'], [], []]);
  await arrange(contacts.remove(_id));
  expect(await told()).toEqual([['deleted'], ['out_of_scope'], ['out_of_scope'], [], []]);
});

test('Who follows contacts learns into which one a contact was merged', async () => {
  const at = new Date();
  const [into, from] = [
    await contacts.created({ firstName: 'Into' }, at),
    await contacts.created({ firstName: 'From' }, at),
  ];
  await arrange(
    product.call('merge-contact', { token: admin.token, path: { id: into._id }, body: { from: from._id } }),
  );
  const query = { updatedSince: at.toISOString(), withDeleted: 'true' };
  const { data } = expectStatus(await read(admin, query, after(new Date(), 2 * minute)), 200);
  expect((data as Item[]).filter(({ _id, deletedAt }) => deletedAt && _id === from._id)).toEqual([
    { _id: from._id, deletedAt: expect.any(String), reason: 'merged', mergedInto: into._id },
  ]);
});

test('A bookmark is kept for 30 days, and belongs to what its reader may see', async () => {
  const now = new Date();
  const bookmark = (days: number) => {
    const time = after(now, -days * day).getTime();
    const of = copyName({ kind: 'users', userIds: new Set([rep.userId]) });
    return listCursorText({ time, id: '', of, completeAt: time });
  };
  const [old, kept] = [bookmark(31), bookmark(29)];
  const gone = { status: 410, body: { code: 'RESYNC_REQUIRED' } };
  expect(await read(rep, { cursor: old }, now)).toMatchObject(gone);
  expect(await read(rep, { cursor: kept }, now)).toMatchObject({ status: 200 });
  expect(await read(admin, { cursor: kept }, now)).toMatchObject(gone);
});

test('A message moves the time of the update of its contact, and a change that is applied late does not move it back', async () => {
  const value = newPhoneNumber();
  const at = new Date();
  const { _id } = await contacts.created({ firstName: 'Moves', phoneNumbers: [{ value }] }, at);
  const updatedAt = async () => (await contacts.read(_id)).body.data.updatedAt;
  const later = after(at, minute);
  await arrange(sms.text({ From: value }, { at: later }));
  expect(await updatedAt()).toBe(later.toISOString());
  await arrange(contacts.update(_id, { lastName: 'Slow' }, after(at, second)));
  expect(await updatedAt()).toBe(later.toISOString());
});
