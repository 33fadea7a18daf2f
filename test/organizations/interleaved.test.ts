import { afterEach, expect, test } from 'vitest';
import { conflict, replyLost } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { assigned, assignmentsIn, organizationsClient } from './client.ts';
import { staffedOrganizationEach } from './each.ts';

const faults = setUpFaultyTable();
const product = await setUpProduct();
const own = await staffedOrganizationEach(product);
const { client, above } = own;
afterEach(() => faults.clear());

/** Lets this happen between the next call's reads and its write. */
const meanwhile = (happen: () => Promise<unknown>) =>
  faults.next('TransactWriteItemsCommand', async (next) => {
    await happen();
    return next();
  });

const listed = () => assignmentsIn(above);
const updateUser = (by: Person, { userId: id }: Person, body: object) =>
  product.call('update-user', { token: by.token, path: { id }, body });

test('Between the reads of one and its write, another sets another key of the business hours for the first time: both stay', async () => {
  meanwhile(() => client('update-business-hours', { timezone: 'Asia/Tokyo' }));
  const { body } = await client('update-business-hours', { allowUserBusinessHoursOverride: true });
  expect(body.data).toMatchObject({ timezone: 'Asia/Tokyo', allowUserBusinessHoursOverride: true });
});

test('Between the reads of one and its write, another changes the registration mode: it stays beside the session settings', async () => {
  meanwhile(() => client('update-registration-mode', { registrationMode: 'open' }));
  expect((await client('update-session-settings', { enabled: false })).body.data.enabled).toBe(false);
  expect((await client('read-organization')).body.data.registrationMode).toBe('open');
});

test('Between the reads of one and its write, another makes the idle timeout too short for the warning: it is refused', async () => {
  meanwhile(() => client('update-session-settings', { idleTimeoutMinutes: 6 }));
  const { status, body } = await client('update-session-settings', { warningTimeMinutes: 20 });
  expect([status, body.details]).toEqual([400, 'warningTimeMinutes must be less than idleTimeoutMinutes']);
});

test('Between the reads of one and its write, another gets the user a first, default number: there is one default, the later', async () => {
  meanwhile(() => assigned(client, own.admin, { isDefault: true }));
  const later = await assigned(client, own.admin, { isDefault: true });
  const all = await listed();
  expect(all).toHaveLength(2);
  expect(all.filter(({ isDefault }) => isDefault)).toEqual([later]);
});

test('Between the reads of one and its write, another gets the number: 409, and nothing of it is written', async () => {
  const phoneNumber = newPhoneNumber();
  const elsewhere = await product.newOrganization();
  meanwhile(() => assigned(organizationsClient(product, elsewhere), elsewhere, { phoneNumber }));
  const body = { userId: own.admin.userId, provider: 'twilio', phoneNumber };
  expect((await client('assign-phone-number', body)).status).toBe(409);
  expect(await listed()).toEqual([]);
});

test('Between the reads of one and its write, another removes the number: it is changed by nobody any more, and free', async () => {
  const { phoneNumber } = await assigned(client, own.admin);
  const path = { phoneNumber };
  for (const name of ['update-phone-number', 'remove-phone-number']) {
    meanwhile(() => client('remove-phone-number', undefined, path));
    const body = name === 'update-phone-number' ? { label: 'Late' } : undefined;
    expect((await client(name, body, path)).status).toBe(404);
    await assigned(client, own.admin, { phoneNumber });
  }
});

test('Between the reads of one and its write, another lowers the administrator who is lowering that other: 403, and one of them stays', async () => {
  const other = await product.newColleague(own.admin, 'ADMIN');
  meanwhile(() => updateUser(other, own.admin, { accessRole: 'SALES_REP' }));
  expect((await updateUser(own.admin, other, { accessRole: 'SALES_REP' })).status).toBe(403);
  const read = (id: string) => product.call('read-user', { token: other.token, path: { id } });
  expect((await read(own.admin.userId)).body.data.accessRole).toBe('SALES_REP');
  expect((await read(other.userId)).body.data.accessRole).toBe('ADMIN');
});

test.each([
  ['a lost reply', replyLost],
  ['a conflict', conflict],
])('A write whose reply is lost, or that meets another, happens once: %s', async (_, fault) => {
  faults.next('TransactWriteItemsCommand', fault);
  const { phoneNumber } = await assigned(client, own.admin);
  expect((await listed()).map((assignment) => assignment.phoneNumber)).toEqual([phoneNumber]);
  faults.next('TransactWriteItemsCommand', fault);
  expect((await client('remove-phone-number', undefined, { phoneNumber })).status).toBe(200);
  expect(await listed()).toEqual([]);
});

test('A write of settings whose reply is lost, or that meets another, happens once', async () => {
  faults.next('TransactWriteItemsCommand', replyLost);
  expect((await client('update-business-hours', { timezone: 'Asia/Tokyo' })).status).toBe(200);
  faults.next('TransactWriteItemsCommand', replyLost);
  expect((await client('update-missed-call-message', { missedCallMessage: 'x' })).status).toBe(200);
});
