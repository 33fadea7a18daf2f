import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { hour, after as later, minute, second } from '../../shared/kernel/time.ts';
import { type TrialPolicy, trialPolicies } from '../../shared/organizations/trial-policy.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { type Person, password } from '../harness/product.ts';
import { countStatuses } from '../harness/tenants.ts';
import { setDisabled } from '../organizations/client.ts';
import { mailClient, newPassword } from './mail-client.ts';
import { changeUser } from './records.ts';
import { refused, sessionsClient } from './sessions-client.ts';

const product = await setUpProduct();
const { refresh } = sessionsClient(product);
let policy: TrialPolicy = trialPolicies.open;
product.providers.trialPolicy = () => policy;
const { stream, settle, forget, resetToken, reset, logIn, latestToken } = await mailClient(product);
const admin = await product.newOrganization();

const answered = {
  success: true,
  message:
    'If there is an account with this address, an email with a link to choose a new password is on its way.',
};
const invalid = {
  error: 'The link is invalid, expired or already used. Ask for a new one.',
  code: 'INVALID_TOKEN',
};

test('A user who has forgotten the password follows the link in the email and logs in with a new one; the old one no longer works', async () => {
  const { email } = await product.newColleague(admin);
  // As people type it.
  await forget(` ${email.toUpperCase()} `);
  await settle();
  expect(product.mail.to(email)).toMatchObject([
    { subject: 'Choose a new password for Switchboard', text: expect.stringContaining('one hour') },
  ]);

  const response = await reset(latestToken(email));
  expect(response).toMatchObject({
    status: 200,
    body: { success: true, message: 'Password changed. Log in with it.' },
  });
  expect((await logIn(email, newPassword)).status).toBe(200);
  expect((await logIn(email, password)).status).toBe(401);
});

test('Whoever asks gets the same response for the same work: for a known, an unknown and an impossible address, a disabled user, and one who asks too often', async () => {
  const known = await product.newColleague(admin);
  const disabled = await product.newColleague(admin);
  await changeUser(product, disabled, { disabled: true });
  const often = await product.newColleague(admin);
  for (let count = 0; count < 7; count += 1) {
    await forget(often.email);
  }
  await settle();

  const { length } = product.mail.sent;
  const addresses = [known.email, 'nobody@example.com', 'no address', '', disabled.email, often.email];
  const responses = await Promise.all(addresses.map((email) => forget(email)));
  for (const { status, body, consumed } of responses) {
    expect({ status, body, trips: consumed?.roundTrips, requests: consumed?.requests }).toEqual({
      status: 200,
      body: answered,
      trips: 1,
      requests: 1,
    });
    expect(consumed?.writeUnits).toBe(responses[0]?.consumed?.writeUnits);
  }
  await settle();
  expect(product.mail.sent.slice(length).map(({ to }) => to)).toEqual([known.email]);
});

test('A token works once, and for one hour; a used, old, foreign or invented one gets the same 400', async () => {
  const person = await product.newColleague(admin);
  const token = await resetToken(person.email);
  const [organizationId, userId, secret = ''] = token.split('.');
  const other = await product.newColleague(admin);
  for (const wrong of [
    '',
    'garbage',
    `${organizationId}.${userId}.${'A'.repeat(43)}`,
    `${organizationId}.${other.userId}.${secret}`,
    `${admin.organizationId}.nobody.${secret}`,
    `${token}A`,
    token.toLowerCase(),
    person.refreshToken,
  ]) {
    expect(await reset(wrong)).toMatchObject({ status: 400, body: invalid });
  }
  const now = new Date();
  expect(await reset(token, {}, later(now, hour + 2 * second))).toMatchObject({ status: 400, body: invalid });
  expect((await reset(token, {}, later(now, hour - minute))).status).toBe(200);
  expect(await reset(token)).toMatchObject({ status: 400, body: invalid });
});

test('A password that is refused, or a request without one, leaves the token as it is', async () => {
  const { email } = await product.newColleague(admin);
  const token = await resetToken(email);
  for (const bad of ['short', 'x'.repeat(257), 5, undefined]) {
    const response = await reset(token, { password: bad });
    expect(response).toMatchObject({ status: 400, body: { code: 'INVALID' } });
    expect(response.text).not.toContain('short');
  }
  expect((await reset(token)).status).toBe(200);
});

test('One of 50 simultaneous uses of a token succeeds, and its password is the one', async () => {
  const { email } = await product.newColleague(admin);
  const token = await resetToken(email);
  const passwords = Array.from({ length: 50 }, (_, index) => `password number ${index}`);
  const responses = await Promise.all(passwords.map((one) => reset(token, { password: one })));
  expect(countStatuses(responses)).toEqual({ 200: 1, 400: 49 });
  const winner = passwords[responses.findIndex(({ status }) => status === 200)] ?? '';
  expect((await logIn(email, winner)).status).toBe(200);
});

test('A newer link replaces the older one', async () => {
  const { email } = await product.newColleague(admin);
  const older = await resetToken(email);
  const newer = await resetToken(email);
  expect(await reset(older)).toMatchObject({ status: 400, body: invalid });
  expect((await reset(newer)).status).toBe(200);
});

test('All sessions of the user end, and those of others go on', async () => {
  const person = await product.newColleague(admin);
  const sessions = [person.refreshToken, (await logIn(person.email, password)).body.refreshToken];
  const other = await product.newColleague(admin);
  await reset(await resetToken(person.email));
  for (const refreshToken of sessions) {
    expect(await refresh(refreshToken)).toMatchObject({ status: 401, body: refused });
  }
  expect((await refresh(other.refreshToken)).status).toBe(200);
  const { body } = await logIn(person.email, newPassword);
  expect((await refresh(body.refreshToken)).status).toBe(200);
});

test('A block because of failed logins ends, also from a network that the account knows', async () => {
  const person = await product.newColleague(admin);
  const [home, elsewhere] = ['192.0.2.40', '192.0.2.41'];
  expect((await logIn(person.email, password, { sourceIp: home })).status).toBe(200);
  for (const sourceIp of [home, elsewhere]) {
    for (let count = 0; count < 5; count += 1) {
      await logIn(person.email, 'wrong password', { sourceIp });
    }
    expect((await logIn(person.email, password, { sourceIp })).status).toBe(429);
  }
  const token = await resetToken(person.email);
  const body = { token, password: newPassword };
  expect((await product.call('reset-password', { body, sourceIp: home })).status).toBe(200);
  for (const sourceIp of [home, elsewhere]) {
    expect((await logIn(person.email, newPassword, { sourceIp })).status).toBe(200);
  }
});

test('The token of a user who is disabled meanwhile does not work, and nothing is sent to one who is disabled', async () => {
  const person = await product.newColleague(admin);
  const token = await resetToken(person.email);
  await changeUser(product, person, { disabled: true });
  expect(await reset(token)).toMatchObject({ status: 400, body: invalid });
  await forget(person.email);
  await settle();
  expect(product.mail.to(person.email)).toHaveLength(1);
});

test.each<[string, (person: Person) => Promise<unknown>]>([
  [
    'has changed the password',
    ({ token }) =>
      product.call('change-password', {
        token,
        body: { currentPassword: password, newPassword: 'a password of their own' },
      }),
  ],
  [
    'was signed out',
    ({ userId }) => product.call('sign-out-user', { token: admin.token, path: { id: userId } }),
  ],
  [
    'was disabled and enabled again',
    async (person) => {
      await setDisabled(product, admin, person, true);
      await setDisabled(product, admin, person, false);
    },
  ],
])(
  'The token of a user who %s since the email was sent does not work, and a newer one does',
  async (_, act) => {
    const person = await product.newColleague(admin);
    const token = await resetToken(person.email);
    await act(person);
    expect(await reset(token)).toMatchObject({ status: 400, body: invalid });
    expect((await reset(await resetToken(person.email))).status).toBe(200);
  },
);

test('Requests from one network lead to 20 emails within 5 minutes where the trial policy is strict, whether the addresses have accounts or not', async () => {
  policy = trialPolicies.approved;
  const outcomes = [];
  for (const [sourceIp, email] of [
    ['192.0.2.51', (await product.newColleague(admin)).email],
    ['192.0.2.52', `${randomUUID()}@example.com`],
  ] as const) {
    const own = await Promise.all(Array.from({ length: 20 }, () => product.newColleague(admin)));
    for (const { email: mine } of own.slice(0, 19)) {
      await forget(mine, { sourceIp });
    }
    await settle();
    await forget(email, { sourceIp });
    await settle();
    const last = own.at(-1)?.email ?? '';
    await forget(last, { sourceIp });
    await settle();
    expect(own.flatMap((person) => product.mail.to(person.email))).toHaveLength(19);
    outcomes.push(product.mail.to(email).length);
  }
  expect(outcomes).toEqual([1, 0]);
  policy = trialPolicies.open;
});

test('An account gets five emails within an hour, then no more, and the last link goes on working', async () => {
  const { email } = await product.newColleague(admin);
  for (let count = 0; count < 8; count += 1) {
    expect((await forget(email)).body).toEqual(answered);
    // The last one of links that are made at the same moment need not be in the last email.
    await settle();
  }
  expect(product.mail.to(email)).toHaveLength(5);
  expect((await reset(latestToken(email))).status).toBe(200);
});

test('A login that read the old password while it was being replaced opens no session that lasts', async () => {
  const person = await product.newColleague(admin);
  const token = await resetToken(person.email);
  const outcomes = await Promise.all([
    ...Array.from({ length: 5 }, () => logIn(person.email, password)),
    reset(token),
    ...Array.from({ length: 5 }, () => logIn(person.email, password)),
  ]);
  expect(outcomes.filter(({ body }) => body.message === 'Password changed. Log in with it.')).toHaveLength(1);
  for (const { body } of outcomes.filter(({ body }) => body.refreshToken !== undefined)) {
    expect((await refresh(body.refreshToken)).status).toBe(401);
  }
});

test('Nothing is written for an address without an account but what ends with the request', async () => {
  const email = `${randomUUID()}@example.com`;
  await forget(email);
  expect((await stream.texts()).filter((text) => text.includes(email))).toHaveLength(1);
  await settle();
  expect((await stream.texts()).filter((text) => text.includes(email))).toEqual([]);
});
