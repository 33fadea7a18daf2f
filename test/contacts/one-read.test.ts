import { expect, test } from 'vitest';
import { setUpFaultyTable, setUpWorld } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/world.ts';

const { product, rep, newContact } = await setUpWorld();
const table = setUpFaultyTable();

test('A change of a contact reads it with its conversations in one request, its applications and the pipelines beside that', async () => {
  const { _id: contactId } = await newContact();
  const send = { token: rep.token, body: { contactId, content: 'Hello' } };
  expectStatus(await product.call('send-message', send), 201);
  table.clear();
  const edit = { token: rep.token, path: { id: contactId }, body: { lastName: 'King' } };
  const { body, consumed } = await product.call('update-contact', edit);
  expect(body.data).toMatchObject({ _id: contactId, lastName: 'King' });
  expect(consumed).toMatchObject({ requests: 4, roundTrips: 2, readUnits: 3 });
  expect(table.tries('QueryCommand')).toHaveLength(2);
  expect(table.tries('GetItemCommand')).toHaveLength(1);
});
