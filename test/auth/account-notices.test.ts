import { expect, test } from 'vitest';
import { grantSuperadmin } from '../../infra/grant-superadmin.ts';
import { day, hour, after as later, minute } from '../../shared/kernel/time.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { type Person, password } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { codeAt, factorsClient } from './factors-client.ts';
import { mailClient, newPassword } from './mail-client.ts';
import { newcomer } from './records.ts';

const product = await setUpProduct();
let lines: Record<string, unknown>[] = [];
const client = await mailClient(product, (line) => lines.push(line));
const { settle, resetToken, reset, invited, stream } = client;

const home = '198.51.100.20';
const elsewhere = '203.0.113.9';
const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';

const logIn = (email: string, sourceIp: string, at?: Date, userAgent = chrome) =>
  product.call('login', {
    body: { email, password },
    headers: { 'user-agent': userAgent },
    sourceIp,
    at,
  });

/** Somebody who has logged in at home before. */
async function atHome(): Promise<Person> {
  const person = await product.newOrganization();
  expectStatus(await logIn(person.email, home), 200);
  await settle();
  return person;
}

/** The subjects of the emails to an address after those that it had. */
async function subjects({ email }: { email: string }, had = 0): Promise<string[]> {
  await settle();
  return product.mail
    .to(email)
    .slice(had)
    .map(({ subject }) => subject);
}

const signIn = 'New sign-in to your Switchboard account';

test('A sign-in from a network that is not known sends an email that says when, from where and what to do, without a link', async () => {
  const { email } = await atHome();
  await logIn(email, elsewhere, new Date('2026-11-28T06:35:10Z'));
  await settle();
  expect(product.mail.to(email).at(-1)).toEqual({
    to: email,
    subject: signIn,
    text: [
      'Somebody signed in to your Switchboard account from a network that has not been used for it in the last 90 days.',
      'When: 28 November 2026 at 06:35 UTC\nDevice: Chrome on Windows\nAddress: 203.0.113.9',
      'If it was not you, somebody knows your password: change it, and look at the list of your sessions. A new password ends all other sessions.',
      'This email has no links. Open Switchboard the way you always do.',
    ].join('\n\n'),
  });
});

test('A sign-in from a known network sends nothing, until the network was not seen for 90 days', async () => {
  const person = await atHome();
  const start = new Date();
  const had = product.mail.to(person.email).length;
  expectStatus(await logIn(person.email, home), 200);
  expect(await subjects(person, had)).toEqual([]);
  await logIn(person.email, home, later(start, 89 * day));
  expect(await subjects(person, had)).toEqual([]);
  await logIn(person.email, home, later(start, 180 * day));
  expect(await subjects(person, had)).toEqual([signIn]);
});

test('A wrong password sends nothing', async () => {
  const person = await atHome();
  const had = product.mail.to(person.email).length;
  const body = { email: person.email, password: 'not the password' };
  expectStatus(await product.call('login', { body, sourceIp: elsewhere }), 401);
  expect(await subjects(person, had)).toEqual([]);
});

test('The first sign-in, by a registration or an invitation, sends nothing, nor does the next login from there', async () => {
  const body = newcomer({ role: 'ADMIN' });
  const registered = await product.call('register', { body, sourceIp: home });
  expectStatus(registered, 201);
  expectStatus(await logIn(body.email, home), 200);
  expect(await subjects(body)).toEqual([]);

  const admin = await product.newOrganization();
  const grace = { email: newcomer().email };
  const { token } = await invited(admin, grace);
  const acceptance = { token, firstName: 'Grace', lastName: 'Hopper', password };
  expectStatus(await product.call('accept-invitation', { body: acceptance, sourceIp: home }), 201);
  expectStatus(await logIn(grace.email, home), 200);
  expect(await subjects(grace, 1)).toEqual([]);
});

test('What a stranger writes as the name of the device is not in the email', async () => {
  const { email } = await atHome();
  await logIn(email, elsewhere, undefined, 'Call 0900 555 1234 or open evil.example/pay');
  await settle();
  expect(product.mail.to(email).at(-1)?.text).toContain('\nDevice: an unknown device\n');
});

test('A changed password sends an email, and a repeated request no other', async () => {
  const person = await atHome();
  const had = product.mail.to(person.email).length;
  const call = {
    token: person.token,
    body: { currentPassword: password, newPassword },
    sourceIp: home,
  };
  expectStatus(await product.call('change-password', call), 200);
  expectStatus(await product.call('change-password', call), 200);
  expect(await subjects(person, had)).toEqual(['Your Switchboard password was changed']);
});

test('A password that was chosen by email sends one more, and the login with it from there none', async () => {
  const person = await atHome();
  const token = await resetToken(person.email);
  const had = product.mail.to(person.email).length;
  expectStatus(
    await product.call('reset-password', { body: { token, password: newPassword }, sourceIp: elsewhere }),
    200,
  );
  const body = { email: person.email, password: newPassword };
  expectStatus(await product.call('login', { body, sourceIp: elsewhere }), 200);
  expectStatus(await product.call('login', { body, sourceIp: home }), 200);
  expect(await subjects(person, had)).toEqual(['You have a new Switchboard password']);
  expectStatus(await reset(token), 400);
});

test('Another role sends an email, other changes do not', async () => {
  const admin = await product.newOrganization();
  const rep = await product.newColleague(admin);
  const change = async (body: Record<string, unknown>) =>
    expectStatus(
      await product.call('update-user', { token: admin.token, path: { id: rep.userId }, body }),
      200,
    );
  await change({ firstName: 'Grace' });
  await change({ accessRole: 'SALES_REP' });
  expect(await subjects(rep)).toEqual([]);
  await change({ accessRole: 'DEPARTMENT_HEAD' });
  expect(await subjects(rep)).toEqual(['You have another role in Switchboard']);
  expect(product.mail.to(rep.email).at(-1)?.text).toContain('Your role now: DEPARTMENT_HEAD');

  await grantSuperadmin(rep.email, { TABLE_NAME: product.tableName });
  await settle();
  expect(product.mail.to(rep.email).at(-1)?.text).toContain('Your role now: SUPERADMIN');
});

test('An address gets three emails of a kind within an hour, and others all the same', async () => {
  const person = await atHome();
  // The first was the one at home.
  const at = later(new Date(), minute);
  for (let host = 1; host < 6; host += 1) {
    expectStatus(await logIn(person.email, `203.0.113.${host}`, at), 200);
  }
  await settle();
  expect(product.mail.to(person.email)).toHaveLength(3);
  const body = { currentPassword: password, newPassword };
  expectStatus(await product.call('change-password', { token: person.token, body, at }), 200);
  expect(await subjects(person, 3)).toEqual(['Your Switchboard password was changed']);
});

test('Where no sender of email is configured, nothing is sent, and no alarm goes off', async () => {
  const person = await atHome();
  const had = product.mail.to(person.email).length;
  const { mail } = product;
  lines = [];
  product.providers.mail = () => ({ ...mail, isConfigured: false });
  try {
    await logIn(person.email, elsewhere, later(new Date(), 2 * hour));
    expect(await subjects(person, had)).toEqual([]);
  } finally {
    product.providers.mail = () => mail;
  }
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  expect((await stream.texts()).filter((text) => text.includes('OUTGOING_MAIL'))).toEqual([]);
});

test('A second factor that is added or removed sends an email, and one that an administrator takes away says so', async () => {
  const admin = await product.newOrganization();
  const person = await product.newColleague(admin);
  const { own, remove } = factorsClient(product);
  const { id } = await own(person);
  expectStatus(await remove(person, id, { currentPassword: password }), 200);
  await own(person);
  const path = { id: person.userId };
  expectStatus(await product.call('delete-factors-of-user', { token: admin.token, path }), 200);
  const added = 'Your Switchboard account has a second factor';
  const removed = 'A second factor of your Switchboard account was removed';
  expect((await subjects(person)).toSorted()).toEqual([added, added, removed, removed].toSorted());
  expect(
    product.mail.to(person.email).filter(({ text }) => text.includes('By: an administrator')),
  ).toHaveLength(1);

  // Only a SUPERADMIN takes a factor away from an ADMIN.
  const another = await own(admin);
  expectStatus(await remove(admin, another.id, { currentPassword: password }), 200);
  await settle();
  const texts = product.mail.to(admin.email).map(({ text }) => text.replaceAll(/\s+/g, ' '));
  expect(texts.join()).toContain('or the operator of the service, who can take the factor away');
});

test('A sign-in with a second factor from a network that is not known sends an email once the code has come, and then no more', async () => {
  const person = await atHome();
  const { own, second, logIn: begin } = factorsClient(product);
  const start = later(new Date(), -hour);
  const { secret, recoveryCodes } = await own(person, start);
  const had = (await subjects(person)).length;
  const { mfaToken: token } = expectStatus(await begin(person.email, { sourceIp: elsewhere }), 200);
  expect(await subjects(person, had)).toEqual([]);
  expectStatus(await second(token, codeAt(secret, new Date()), { sourceIp: elsewhere }), 200);
  expect(await subjects(person, had)).toEqual([signIn]);
  for (const [n, sourceIp] of [home, elsewhere].entries()) {
    const next = expectStatus(await begin(person.email, { sourceIp }), 200).mfaToken;
    expectStatus(await second(next, recoveryCodes[n] ?? '', { sourceIp }), 200);
  }
  expect(await subjects(person, had)).toEqual([signIn]);
});
