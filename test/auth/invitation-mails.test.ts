import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { invitationMail } from '../../functions/auth/model/mail-texts.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { mailClient } from './mail-client.ts';

const product = await setUpProduct();
const { invite, invited } = await mailClient(product);
const admin = await product.newOrganization();

const newAddress = () => `${randomUUID()}@example.com`;

test('Where no sender of email is configured, inviting says what to do', async () => {
  const { mail } = product.providers;
  product.providers.mail = () => ({ isConfigured: false });
  expect(await invite(admin, { email: newAddress() })).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('mailFrom') },
  });
  if (mail !== undefined) {
    product.providers.mail = mail;
  }
});

test('An address that email cannot reach is not invited: one with other characters than ASCII before the @', async () => {
  expect(await invite(admin, { email: 'jürgen@example.com' })).toMatchObject({
    status: 400,
    body: {
      message:
        'email must have only ASCII characters before the @: email cannot be sent to any other address',
    },
  });
  expect((await invite(admin, { email: `${randomUUID()}@bücher.example` })).status).toBe(201);
});

test('An email has no name in it that could be read as a link or a message of its own', async () => {
  const body = {
    email: newAddress(),
    password,
    firstName: 'Your account is closed',
    lastName: 'see evil.example.com',
    organizationName: 'https://evil.example.com',
    role: 'ADMIN',
  };
  const { token, user } = expectStatus(await product.call('register', { body }), 201);
  const email = newAddress();
  await invited({ ...admin, token, userId: user.id }, { email });
  const [mail] = product.mail.to(email);
  expect(mail?.text).toMatch(/^An administrator invites you to join an organization on Switchboard\./);
  expect(mail?.text).not.toContain('evil');
});

test.each([
  'Account closed! Call +1 900 555 0199 and give your password',
  'Call 1 900 555 0199 now',
  'Call ٩٠٠٥٥٥ now',
  'evil.example.com',
  'evil。com',
  'evil\uFF61com',
  'evil\uFF0Ecom',
  'evil\u2024com',
  'bit\u200B.ly/x',
  '\u202Emoc.live',
  'mail me @ evil',
  'Acme" is closed. Read "this',
  'A name of more than forty characters, then',
])('An email names no organization %j', (organization) => {
  const mail = { linkTo: () => 'https://app.example.com/accept-invitation#token=a.b.c' };
  const { text } = invitationMail('a@b.co', 'a.b.c', { organization, inviter: organization }, mail);
  expect(text).toMatch(/^An administrator invites you to join an organization on Switchboard\./);
});

test.each([
  ['Müller & Söhne GmbH', 'Müller & Söhne GmbH'],
  ["O'Hara (Est. 1985), Inc.", "O'Hara (Est. 1985), Inc."],
  ['株式会社サクラ', '株式会社サクラ'],
  ['Ａｃｍｅ', 'Acme'],
])('An email names the organization %j, in quotation marks', (organization, shown) => {
  const mail = { linkTo: () => 'https://app.example.com/accept-invitation#token=a.b.c' };
  const { text } = invitationMail('a@b.co', 'a.b.c', { organization, inviter: 'Ada Byron' }, mail);
  expect(text).toMatch(
    new RegExp(`^"Ada Byron" invites you to join "${shown.replace(/[().]/g, '\\$&')}" on`),
  );
});
