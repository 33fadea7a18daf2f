import { decodeTime } from 'ulid';
import { expect, test } from 'vitest';
import { minute } from '../../shared/kernel/time.ts';
import { mailClient } from '../auth/mail-client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { type Person, password } from '../harness/product.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { logClient } from './log-client.ts';

const product = await setUpProduct();
const { entries, repeat, stream } = await logClient(product);
const { invited, accept, resetToken, reset, logIn } = await mailClient(product);
const admin = await product.newOrganization();
const user = ({ userId }: Person) => ({ type: 'user', id: userId });

const call = async (name: string, more: object = {}, by: Person = admin) =>
  (await arrange(product.call(name, { token: by.token, ...more }))).data;

/** The entries about a record, oldest first, without what they all have. */
const logOf = async (entityId: string, event?: string) =>
  (await entries(admin, { entityId, ...(event && { event }) }))
    .reverse()
    .map(({ _id, at, requestId, entity, ...said }) => ({ ...said, entity: entity.type }));

const entry = (event: string, entity: string, by: Person = admin, changed: string[] = []) => ({
  ...{ event, entity, changed, actor: user(by) },
});

test('Signing in and out is in the log', async () => {
  const person = await product.newColleague(admin);
  const { refreshToken } = await arrange(logIn(person.email, password));
  await arrange(product.call('logout', { body: { refreshToken } }));
  expect((await logOf(person.userId)).slice(-2)).toEqual([
    entry('user_signed_in', 'user', person),
    entry('user_signed_out', 'user', person),
  ]);
});

test('An administrator who signs somebody out is in the log', async () => {
  const person = await product.newColleague(admin);
  await call('sign-out-user', { path: { id: person.userId } });
  expect((await logOf(person.userId)).at(-1)).toEqual(entry('user_signed_out', 'user'));
});

test('A changed password and one that was forgotten are in the log', async () => {
  const person = await product.newColleague(admin);
  const body = { currentPassword: password, newPassword: 'a quite different sentence' };
  await arrange(product.call('change-password', { token: person.token, body }));
  await arrange(reset(await resetToken(person.email), { password: 'one more different sentence' }));
  expect(await logOf(person.userId, 'user_password_changed')).toEqual([
    entry('user_password_changed', 'user', person),
    entry('user_password_changed', 'user', person),
  ]);
});

test('A changed role, a disabled user and one who is enabled again are in the log', async () => {
  const person = await product.newColleague(admin);
  const path = { id: person.userId };
  await call('update-user', { path, body: { accessRole: 'DEPARTMENT_HEAD' } });
  await call('update-user', { path, body: { disabled: true } });
  await call('update-user', { path, body: { disabled: false } });
  const events = 'user_role_changed,user_disabled,user_updated';
  expect(await logOf(person.userId, events)).toEqual([
    entry('user_role_changed', 'user', admin, ['accessRole']),
    entry('user_disabled', 'user', admin, ['disabled']),
    entry('user_updated', 'user', admin, ['disabled']),
  ]);
});

test('An invitation is in the log, and who accepts it', async () => {
  const { id, token } = await invited(admin, { email: 'grace@example.com', role: 'SALES_REP' });
  const joined = (await arrange(accept(token))).user;
  const acceptedBy = { type: 'user', id: joined.id };
  expect((await logOf(id))[0]).toEqual(entry('user_invited', 'invitation'));
  expect((await logOf(id)).at(-1)).toMatchObject({ event: 'invitation_updated', actor: acceptedBy });
  const ofJoined = (await logOf(joined.id)).map(({ event, actor }) => ({ event, actor }));
  // Both in the same request, so in any order.
  expect(ofJoined).toHaveLength(2);
  expect(ofJoined).toContainEqual({ event: 'user_updated', actor: acceptedBy });
  expect(ofJoined).toContainEqual({ event: 'user_signed_in', actor: acceptedBy });
});

test('The life of an API key is in the log, without the key', async () => {
  const body = { name: 'Program', access: 'read' };
  const created = await arrange(product.call('create-api-key', { token: admin.token, body }));
  const path = { id: created.data._id };
  const rotated = await arrange(
    product.call('rotate-api-key', { token: admin.token, path, body: { overlapHours: 1 } }),
  );
  await call('delete-api-key', { path });
  expect(await logOf(path.id)).toEqual([
    entry('api_key_created', 'api_key'),
    entry('api_key_rotated', 'api_key'),
    entry('api_key_deleted', 'api_key'),
  ]);
  const logged = (await stream.texts()).filter((text) => text.includes('LOGGED'));
  for (const secret of [created.key, created.data.prefix, rotated.key]) {
    expect(logged.filter((text) => text.includes(secret))).toEqual([]);
  }
});

test('A changed setting of the organization is in the log, and a number that is assigned and removed', async () => {
  const { organizationId } = admin;
  await call('update-organization', { path: { organizationId }, body: { name: 'Another name' } });
  expect(await logOf(organizationId)).toEqual([
    entry('organization_updated', 'organization', admin, ['name']),
  ]);
  const phoneNumber = newPhoneNumber();
  await call('assign-phone-number', {
    ...{ path: { organizationId }, body: { userId: admin.userId, provider: 'twilio', phoneNumber } },
  });
  await call('remove-phone-number', { path: { organizationId, phoneNumber } });
  expect(await logOf(phoneNumber)).toEqual([
    entry('phone_number_assigned', 'phone_number'),
    entry('phone_number_removed', 'phone_number'),
  ]);
});

test('Failed sign-ins of an account are one entry a quarter of an hour with their number, which the request does not write', async () => {
  const person = await product.newColleague(admin);
  const quarter = Math.ceil(Date.now() / (15 * minute)) * 15 * minute;
  const at = (minutes: number) => new Date(quarter + minutes * minute);
  const fail = (minutes: number) => logIn(person.email, 'a wrong password', { at: at(minutes) });
  const records = await stream.recordsOf(async () => {
    for (const minutes of [1, 2, 3, 20, 21]) {
      expect((await fail(minutes)).status).toBe(401);
      await stream.settle();
    }
  });
  await repeat(records);
  const found = (await entries(admin, { event: 'user_sign_in_failed' })).map(
    ({ at, count, entity, actor }) => ({ at, count, entity, actor }),
  );
  const failed = { entity: user(person), actor: { type: 'system' } };
  expect(found).toEqual([
    { at: at(15).toISOString(), count: 2, ...failed },
    { at: at(0).toISOString(), count: 3, ...failed },
  ]);
});

test('Failed sign-ins before and after a right password are counted together', async () => {
  const person = await product.newColleague(admin);
  await stream.settle();
  const at = new Date(Math.ceil(Date.now() / (15 * minute)) * 15 * minute + minute);
  const wrong = (more = 0) => logIn(person.email, 'a wrong password', { at: new Date(at.getTime() + more) });
  await wrong();
  await stream.settle();
  await arrange(logIn(person.email, password, { at }));
  await stream.settle();
  await wrong(1);
  const [found] = await entries(admin, { event: 'user_sign_in_failed', entityId: person.userId });
  expect(found?.count).toBe(2);
  expect(decodeTime(found?._id ?? '')).toBe(at.getTime() - minute);
});

test('A failed sign-in of somebody without an account is in no log', async () => {
  const before = await entries(admin);
  expect((await logIn('nobody@example.com', 'a wrong password')).status).toBe(401);
  expect(await entries(admin)).toEqual(before);
});

test('The export of a contact is in the log, and one of a contact that nobody has is not', async () => {
  const body = { firstName: 'Ada', lastName: 'Fair', phoneNumbers: [{ value: newPhoneNumber() }] };
  const { _id: id } = await call('create-contact', { body });
  await call('read-separation-data', { path: { id } });
  await product.call('read-separation-data', { token: admin.token, path: { id: admin.userId } });
  expect(await logOf(id, 'export_started')).toEqual([entry('export_started', 'contact')]);
  expect(await logOf(admin.userId, 'export_started')).toEqual([]);
});
