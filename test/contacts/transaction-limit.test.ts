import { expect, test } from 'vitest';
import { type ContactAggregate, readAggregate } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactDeletion, isDeletedAtOnce } from '../../shared/contact-aggregate/contact-deletion.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import { clockClient } from '../harness/clock.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { newContactsClient } from './client.ts';

const product = await setUpProduct();

const tooMany = 'This update is too large. Change assignees and phone numbers in separate requests.';

const phones = (count: number) => Array.from({ length: count }, () => ({ value: newPhoneNumber() }));

test('An update that would take more actions than a transaction has is refused before anything is written', async () => {
  const { admin, ...contacts } = await newContactsClient(product);
  const colleagues = await Promise.all(Array.from({ length: 22 }, () => product.newColleague(admin)));
  const users = colleagues.map(({ userId }) => userId);
  const before = { owner: users[20], assignees: users.slice(0, 10), phoneNumbers: phones(10) };
  const { _id: contactId } = await contacts.created({ lastName: 'Full', ...before });
  const message = { token: admin.token, body: { contactId, content: 'Hello' } };
  expectStatus(await product.call('send-message', message), 201);
  const { data: known } = expectStatus(await contacts.read(contactId), 200);

  const others = { owner: users[21], assignees: users.slice(10, 20) };
  const { status, body, consumed } = await contacts.update(contactId, {
    ...others,
    phoneNumbers: phones(10),
  });
  expect({ status, body }).toEqual({ status: 400, body: { error: 'Invalid request', message: tooMany } });
  expect(consumed?.writeUnits).toBe(0);
  expect((await contacts.read(contactId)).body.data).toEqual(known);

  // What the answer advises.
  expectStatus(await contacts.update(contactId, { phoneNumbers: phones(10) }), 200);
  expectStatus(await contacts.update(contactId, others), 200);
});

test("Of the 100 actions of a transaction, a contact's writes take 85 at most, and a deletion at once 95", async () => {
  const { admin, ...contacts } = await newContactsClient(product);
  const { _id } = await contacts.created({ lastName: 'Writes' });
  const { table } = product.tableOf(admin.organizationId);
  const tables = { table, platform: clockClient(product).platform };
  const aggregate = (await readAggregate(table, _id)) as ContactAggregate;
  /** With one lock for each number, and a record of its deletion. */
  const having = (count: number): StoredContact => ({
    ...aggregate.contact.data,
    phoneNumbers: phones(count).map(({ value }) => ({ value, label: '', isPrimary: false })),
  });
  const creation = (numbers: number) =>
    contactWrites(table, undefined, { contact: having(numbers), conversations: [], applications: [] });
  const room = 85 - creation(0).length;
  expect(creation(room)).toHaveLength(85);
  expect(() => creation(room + 1)).toThrow(tooMany);

  const deleted = (numbers: number) => ({
    ...aggregate,
    contact: { ...aggregate.contact, data: having(numbers) },
  });
  const actions = (numbers: number) => contactDeletion(tables, deleted(numbers), new Date()).length;
  const numbers = Math.floor((95 - actions(0)) / 2);
  expect(isDeletedAtOnce(tables, deleted(numbers), new Date())).toBe(true);
  expect(isDeletedAtOnce(tables, deleted(numbers + 1), new Date())).toBe(false);
});
