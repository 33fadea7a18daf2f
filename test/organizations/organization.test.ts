import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { organizationEach } from './each.ts';

const product = await setUpProduct();
const own = organizationEach(product);
const { client } = own;

const read = async () => expectStatus(await client('read-organization'), 200).data;
const update = (body: unknown) => client('update-organization', body);

test('The organization has a name and a help message that its ADMIN sets, each by itself', async () => {
  expect(await read()).toMatchObject({ helpMessage: '' });
  const helpMessage = 'Bluebird. Reply STOP to get no more messages.\n👋';
  const { data, message } = expectStatus(await update({ name: '  Bluebird  ', helpMessage }), 200);
  expect(message).toBe('Organization updated');
  expect(data).toMatchObject({ name: 'Bluebird', helpMessage });
  expect(await read()).toEqual(data);
  expect(expectStatus(await update({ name: 'Kestrel' }), 200).data).toMatchObject({
    name: 'Kestrel',
    helpMessage,
  });
});

test.each([null, '', ' \n'])(
  'The organization has no help message any more after %j',
  async (helpMessage) => {
    expectStatus(await update({ helpMessage: 'Help' }), 200);
    expect(expectStatus(await update({ helpMessage }), 200).data.helpMessage).toBe('');
  },
);

test.each([{}, { name: null }, { helpMessage: '' }])(
  'The organization stays as it is after %j',
  async (body) => {
    const before = await read();
    expect(expectStatus(await update(body), 200)).toMatchObject({ message: 'No changes', data: before });
  },
);

test.each([
  { name: '' },
  { name: 'x'.repeat(201) },
  { name: 7 },
  { helpMessage: 'x'.repeat(501) },
  { helpMessage: 7 },
])('The organization refuses %j with 400', async (body) => {
  expect((await update(body)).status).toBe(400);
});
