import { expect, test } from 'vitest';
import { after, minute } from '../../shared/kernel/time.ts';
import { eventReader } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { caseSender, operationsWithCases } from './operations.ts';

/** A change that is there already changes nothing: whoever sends it again is told so, and nobody else is. */

const tenants = await setUpTenants();
const { product, admin, rep, newContact } = tenants;
const newEvents = eventReader(product, admin.organizationId);

/** What ends other sessions each time, and what is written without being read. */
const alwaysWriting = ['change-password', 'update-notification-preferences'];

const changing = (await operationsWithCases()).filter(
  ({ name, operation }) => /^(PUT|PATCH) /.test(operation.route) && !alwaysWriting.includes(name),
);

test.each(changing)(
  '$name changes nothing when it is repeated: it writes nothing, keeps updatedAt, emits no event, and says so',
  async ({ name, accessCase }) => {
    const request = { ...caseSender(tenants, accessCase), ...(await accessCase.request(tenants, rep)) };
    const first = await product.call(name, request);
    expect(first.status).toBe(200);
    await newEvents();
    const again = await product.call(name, { ...request, at: after(new Date(), 2 * minute) });
    expect(again).toMatchObject({ status: 200, consumed: { writeUnits: 0 } });
    expect(again.body.data).toEqual(first.body.data);
    expect(await newEvents()).toEqual([]);
    if (first.body.message !== undefined) {
      expect(again.body.message).toMatch(/^No changes|already|marked as read$/);
    }
  },
);

// JSON has a -0, which free data keep and settings do not: a value that is written again must not look like another one.

const by = { token: admin.token };
const later = new Date(Date.now() + 5_000);

test('A custom field of a contact that is -0 changes nothing when it is written again, deep inside or not', async () => {
  const { _id: id } = await newContact();
  const body = '{"customFields": {"balance": -0.0, "months": [{"balance": -0}, -1e-400]}}';
  const write = (at?: Date) => arrange(product.call('update-contact', { ...by, path: { id }, body, at }));
  const { data } = await write();
  expect(data.customFields).toEqual({ balance: -0, months: [{ balance: -0 }, -0] });
  expect(await write(later)).toMatchObject({ message: 'No changes', data: { updatedAt: data.updatedAt } });
});

test('A setting that is -0 changes nothing when it is written again', async () => {
  const path = { organizationId: admin.organizationId };
  const write = () =>
    product.call('update-missed-call-policy', { ...by, path, body: '{"cooldownMinutes": -0}' });
  expect((await arrange(write())).data.cooldownMinutes).toBe(0);
  expect((await write()).consumed?.writeUnits).toBe(0);
});

test('A lead whose custom data are -0 says nothing new when it comes again', async () => {
  const configuration = { name: 'Spring', source: 'Website' };
  const { data } = await arrange(
    product.call('create-outreach-configuration', { ...by, body: configuration }),
  );
  const lead = `{"configurationId": "${data._id}", "phoneNumber": "${newPhoneNumber()}", "firstName": "Ada",
    "lastName": "Lovelace", "customData": {"balance": -0.0}, "months": [-0]}`;
  const send = (at?: Date) => arrange(product.call('receive-lead', { body: lead, at }));
  const { contactId: id } = (await send()).data;
  const read = () => arrange(product.call('read-contact', { ...by, path: { id } }));
  const before = await read();
  await send(later);
  expect(await read()).toEqual(before);
});
