import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { issueReset } from '../../functions/auth/model/password-reset.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { cheapPasswords, password as usual } from '../harness/product.ts';
import { expectStatus, outcome } from '../harness/tenants.ts';
import { identityTable, newcomer, readUser } from './records.ts';
import { sessionsClient } from './sessions-client.ts';

const product = await setUpProduct();
const { change, logIn, statusOfLogin } = sessionsClient(product);

const register = (password: string, email = `${randomUUID()}@example.com`) =>
  product.call('register', { body: newcomer({ email, password }) });

const common = (field: string) => ({
  status: 400,
  body: {
    error: `${field} is one of the most common passwords, which are guessed first: choose several words that do not belong together`,
    code: 'INVALID',
  },
});
const derived = (field: string) => ({
  status: 400,
  body: {
    error: `${field} must not be made of your email address or the name of this service, whatever digits you add: choose other words`,
    code: 'INVALID',
  },
});

test.each([
  'password',
  'PassWord',
  'ｐａｓｓｗｏｒｄ',
  '12345678',
  'iloveyou',
  'Password1!',
  'sunshine2024',
  'Dragon!2024',
  'qwertyuiop',
])('Nobody registers with the common password %s', async (sent) => {
  expect(outcome(await register(sent))).toEqual(common('password'));
});

test.each([
  [
    'jane.doe@example.com',
    ['jane.doe@example.com', 'jane.doe', 'JANEDOE1', 'janejane', 'doe-jane-1985', 'jane12345678'],
  ],
  ['jane.doe@example.com', ['eodenaj1', 'enaj-2024', 'example.com', 'Example2024!', 'elpmaxe7']],
  ['jane+crm@acme-tools.example', ['jane-acme-1', 'tools.acme', 'acme-tools.example']],
  ['zoë@例え.example', ['zoë-zoë-1', 'ＺＯË12345']],
  ['bob@example.com', ['switchboard', 'Switchboard2024', 'draobhctiws']],
])('Whoever has the address %s does not choose one of %j', async (email, passwords) => {
  for (const sent of passwords) {
    expect(outcome(await register(sent, email)), sent).toEqual(derived('password'));
  }
});

test.each([
  ['the password of the demo', 'ada@example.com', 'switchboard-demo'],
  ['other words beside the name', 'jane@example.com', 'jane climbs mountains'],
  ['a word that has the name in it', 'max@example.com', 'maximilian-the-third'],
  ['digits alone that nobody else has', 'ada@example.com', '4831927502'],
  ['a short name that is in many words', 'al@example.com', 'always-balcony'],
  ['a common word with others', 'ada@example.com', 'dragon teapot gravel'],
])('Fine is %s', async (_, email, sent) => {
  expect((await register(sent, `${randomUUID().replaceAll(/[a-z]/g, '1')}.${email}`)).status).toBe(201);
});

test('Nobody changes the password to a guessable one, and the current one stays', async () => {
  const person = await product.newOrganization();
  expect(outcome(await change(person, { newPassword: 'trustno1' }))).toEqual(common('newPassword'));
  expect(outcome(await change(person, { newPassword: person.email }))).toEqual(derived('newPassword'));
  expect(await statusOfLogin(person, usual)).toBe(200);
});

test('A link from an email sets no guessable password, and works again for another one', async () => {
  const person = await product.newOrganization();
  const user = await readUser(product, person);
  const token = user && (await issueReset(identityTable(product), user, new Date()));
  const reset = (password: string) => product.call('reset-password', { body: { token, password } });
  expect(outcome(await reset('baseball'))).toEqual(common('password'));
  expectStatus(await reset('a teapot full of gravel'), 200);
});

test('Whoever has a guessable password from before logs in as ever', async () => {
  const person = await product.newOrganization();
  const identity = identityTable(product);
  const { credentialsKey } = await import('../../functions/auth/model/credentials.ts');
  const { emailDigest } = await import('../../functions/auth/model/email.ts');
  const stored = await identity.read(credentialsKey(emailDigest(person.email)));
  const passwordHash = await cheapPasswords.hash('password');
  await identity.commit(stored ? [identity.replace(stored, { ...stored.data, passwordHash })] : []);
  expect((await logIn(person, 'password')).token).toBeTruthy();
});
