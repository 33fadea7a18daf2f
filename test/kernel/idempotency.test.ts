import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { after, hour } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { arrange } from '../harness/tenants.ts';

/** A request with an Idempotency-Key has one effect and one response, however often it is sent. */

const tenants = await setUpTenants();
const { product, admin, rep, newContact } = tenants;

const together = 10;
const newKey = () => randomUUID();

/** Sends equal requests at once. One that meets a running one is sent again, as its response says. */
function sendAll(name: string, call: Parameters<typeof product.call>[1], key = newKey()) {
  const send = async (): Promise<Awaited<ReturnType<typeof product.call>>> => {
    const response = await product.call(name, {
      ...call,
      headers: { ...call?.headers, 'idempotency-key': key },
    });
    if (response.status !== 409) {
      return response;
    }
    expect(response.headers['retry-after']).toBe('1');
    await new Promise((resolve) => setTimeout(resolve, 20));
    return send();
  };
  return Promise.all(Array.from({ length: together }, send));
}

test('A contact that is created ten times at once with one key is one contact, and all get its response', async () => {
  const responses = await sendAll('create-contact', { token: rep.token, body: { firstName: 'Ada' } });
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(responses[0]?.status).toBe(201);
  const repeated = responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
  expect(repeated).toHaveLength(together - 1);
});

test('A contact that is deleted ten times at once with one key is deleted once, and no one gets a 404', async () => {
  const { _id: id } = await newContact();
  const responses = await sendAll('delete-contact', { token: admin.token, path: { id } });
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(responses[0]?.status).toBe(200);
});

test('A reaction that is toggled ten times at once with one key is there', async () => {
  const { _id: contactId } = await newContact();
  const body = { contactId, note: 'Called' };
  const { data: note } = await arrange(product.call('create-note', { token: rep.token, body }));
  const responses = await sendAll('toggle-reaction', {
    token: rep.token,
    path: { id: note._id },
    body: { emoji: '👍' },
  });
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(responses[0]?.body.data.reactions).toHaveLength(1);
});

test('Notifications that are marked as read ten times at once with one key are marked once', async () => {
  const { _id: contactId } = await newContact();
  const body = { contactId, userId: rep.userId, message: 'Call back' };
  await arrange(product.call('notify-user', { token: admin.token, body }));
  const responses = await sendAll('mark-all-notifications-read', { token: rep.token });
  const repeated = responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
  expect(repeated).toHaveLength(together - 1);
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
});

test('A password that is changed ten times at once with one key is changed, and no one gets a wrong password', async () => {
  const person = await product.newColleague(admin);
  const body = { currentPassword: password, newPassword: 'correct horse battery staple' };
  const responses = await sendAll('change-password', { token: person.token, body });
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
});

test('The secret of a second factor is in the first response alone', async () => {
  const person = await product.newColleague(admin);
  const key = newKey();
  const send = () =>
    product.call('create-factor', {
      token: person.token,
      body: { type: 'totp' },
      headers: { 'idempotency-key': key },
    });
  const first = await send();
  expect(first.body.secret).toEqual(expect.any(String));
  const again = await send();
  expect(again.status).toBe(201);
  expect(again.body).toEqual({ _id: first.body._id, secretShown: true });
  expect(again.headers['idempotent-replayed']).toBe('true');
});

test('A key of another request is refused with 422, and one of another user is another key', async () => {
  const key = newKey();
  const now = new Date();
  const create = (firstName: string, { token } = rep, at = now) =>
    product.call('create-contact', { token, at, body: { firstName }, headers: { 'idempotency-key': key } });
  const first = await create('Ada');
  expect(first.status).toBe(201);
  expect((await create('Grace')).status).toBe(422);
  expect((await create('Grace', admin)).status).toBe(201);
  const repeated = await create('Ada', rep, after(now, hour / 2));
  expect(repeated.text).toBe(first.text);
  expect(repeated.headers['idempotent-replayed']).toBe('true');
});

test('The 422 has its code in the families of errors that have codes', async () => {
  const { _id: contactId } = await newContact();
  const { token } = await product.newColleague(admin, 'ADMIN');
  const send = (name: string, body: object, key: string) =>
    product.call(name, { token, body, headers: { 'idempotency-key': key } });
  const [ofNotes, ofAuth] = [newKey(), newKey()];
  expect((await send('create-note', { contactId, note: 'One' }, ofNotes)).status).toBe(201);
  const message = 'This Idempotency-Key belongs to another request. Use a new key for each request.';
  expect(await send('create-note', { contactId, note: 'Two' }, ofNotes)).toMatchObject({
    status: 422,
    body: { success: false, message, error: 'IDEMPOTENCY_KEY_REUSED' },
  });
  expect((await send('create-factor', { type: 'totp' }, ofAuth)).status).toBe(201);
  expect(await send('create-factor', { type: 'totp', more: true }, ofAuth)).toMatchObject({
    status: 422,
    body: { error: message, code: 'IDEMPOTENCY_KEY_REUSED' },
  });
});

test('A POST that only reads ignores the key', async () => {
  const headers = { 'idempotency-key': newKey() };
  const read = (body: object) => product.call('list-contacts-by-stage', { token: rep.token, headers, body });
  for (const body of [{ size: 1 }, { size: 2 }, { size: 1 }]) {
    const { status, headers: shown, consumed } = await read(body);
    expect([status, shown['idempotent-replayed'], consumed?.writeUnits ?? 0]).toEqual([200, undefined, 0]);
  }
});

test('A key belongs to its request for 24 hours, and to any other from then on', async () => {
  const headers = { 'idempotency-key': newKey() };
  const now = new Date();
  const created = await product.call('create-contact', {
    ...{ token: admin.token, at: now, headers },
    body: { firstName: 'Ada' },
  });
  const first = created.body.data._id;
  const last = after(now, 24 * hour - 1_000);
  // A token of that time: the first one has expired.
  const lasting = await product.call('login', { at: last, body: { email: admin.email, password } });
  const later = async (firstName: string, at: Date) => {
    const response = await product.call('create-contact', {
      ...{ token: lasting.body.token, at, headers },
      body: { firstName },
    });
    return [response.status, response.headers['idempotent-replayed'], response.body.data?._id];
  };
  expect(await later('Ada', last)).toEqual([201, 'true', first]);
  expect((await later('Grace', last))[0]).toBe(422);
  const [status, repeated, second] = await later('Grace', after(now, 24 * hour + 1_000));
  expect([status, repeated]).toEqual([201, undefined]);
  expect(second).not.toBe(first);
});

test('A refused request leaves its key free', async () => {
  const headers = { 'idempotency-key': newKey() };
  const send = (body: object) => product.call('create-contact', { token: rep.token, headers, body });
  expect((await send({ firstName: 'Ada', stage: 'Nowhere' })).status).toBe(404);
  expect((await send({ firstName: 'Ada' })).status).toBe(201);
});

test.each(['', 'é', 'a'.repeat(256)])('A key that cannot be one (%j) is refused with 400', async (key) => {
  const body = { firstName: 'Ada' };
  const response = await product.call('create-contact', {
    token: rep.token,
    body,
    headers: { 'idempotency-key': key },
  });
  expect(response.status).toBe(400);
});

test('A response that is larger than a record of the table is kept, too', async () => {
  const noise = randomBytes(600_000).toString('base64');
  const body = { name: 'Large', nodes: [], edges: [], description: 'Large', layout: { noise } };
  const headers = { 'idempotency-key': newKey() };
  const create = () => product.call('create-workflow', { token: admin.token, headers, body });
  const first = await create();
  expect(first.status).toBe(201);
  expect(first.text.length).toBeGreaterThan(noise.length);
  const again = await create();
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(again.text).toBe(first.text);
});
