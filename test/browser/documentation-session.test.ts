import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Documentation, documentationTests, password } from './documentation.ts';

// Only what the session needs of the page; `documentation.test.ts` is about all of it.
const tests = await documentationTests({
  operations: [
    'register',
    'login',
    'logout',
    'refresh',
    'reset-password',
    'accept-invitation',
    'list-contacts-by-stage',
  ],
});
const { email, visitAgain } = tests;
const ada = 'Logged in as Ada Admin, ADMIN';

/** A token that says when it ends, and that nobody signed. */
function tokenUntil(date: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ exp: Math.ceil(date / 1_000), name: 'Ünsigned ÿ' })}.none`;
}

/** Opens the page with this token as what an earlier visit kept. */
const visitWithToken = (token: string) => visitAgain(JSON.stringify({ token, name: 'Ada Admin, ADMIN' }));

/** Opens the page as it is after a login. */
async function visitLoggedIn() {
  const { token } = await tests.host.call('POST /api/auth/login', undefined, { email, password });
  const documentation = await visitWithToken(token);
  await documentation.told(ada);
  return documentation;
}

/** All that the page has left in the browser. */
const kept = ({ page }: Documentation) =>
  page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));

test('The documentation page is logged in by a login that was tried out, and stays so when it is loaded again', async () => {
  const documentation = await visitAgain();
  const { page, told, logIn, open, execute, reload, problems } = documentation;
  await told('Not logged in');
  expect(await logIn(email, password)).toBe('200');
  await told(ada);
  expect(await execute(await open('Contacts', 'list-contacts-by-stage'), {})).toBe('200');

  await reload();
  await told(ada);
  expect(await execute(page.locator('.opblock.is-open'), {})).toBe('200');
  expect(problems).toEqual([]);
  expect(await kept(documentation)).not.toContain('refreshToken');
});

test('The documentation page forgets the token when somebody logs out in the bar on top', async () => {
  const documentation = await visitLoggedIn();
  const { page, told, open, execute } = documentation;
  await page.getByRole('button', { name: 'Log out', exact: true }).click();
  await told('Not logged in');
  expect(await kept(documentation)).toBe('{}');
  expect(await execute(await open('Contacts', 'list-contacts-by-stage'), {})).toBe('401');
});

test('The documentation page forgets the token when a logout was tried out', async () => {
  const documentation = await visitLoggedIn();
  const { told, open, execute } = documentation;
  expect(await execute(await open('Auth', 'logout'), {})).toBe('200');
  await told('Not logged in');
  expect(await kept(documentation)).toBe('{}');
});

test('The documentation page is logged in by a registration and by a refresh, and not by a login that fails', async () => {
  const { told, logIn, open, execute, reload } = await visitAgain();
  expect(await logIn(email, 'wrong password')).toBe('401');
  await told('Not logged in');
  await reload();
  const newcomer = { password, firstName: 'Nia', lastName: 'New', role: 'ADMIN' };
  const body = { ...newcomer, email: `${randomUUID()}@example.com` };
  expect(await execute(await open('Auth', 'register'), body)).toBe('201');
  await told('Logged in as Nia New, ADMIN');
  const { refreshToken } = await tests.host.call('POST /api/auth/login', undefined, { email, password });
  expect(await execute(await open('Auth', 'refresh'), { refreshToken })).toBe('200');
  await told(ada);
});

test('The documentation page stays logged in as the administrator who registers a user', async () => {
  const { told, open, execute, reload } = await visitLoggedIn();
  const newcomer = { password, firstName: 'Nia', lastName: 'New', role: 'SALES_REP' };
  const body = { ...newcomer, email: `${randomUUID()}@example.com` };
  expect(await execute(await open('Auth', 'register'), body)).toBe('201');
  await told(ada);
  await reload();
  await told(ada);
});

test('The documentation page takes a token that is pasted under "Authorize", and keeps it too', async () => {
  const { page, told, reload } = await visitAgain();
  const { token } = await tests.host.call('POST /api/auth/login', undefined, { email, password });
  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  await page.getByText('“Log in” and “Authorize” set the same token').waitFor();
  await page.locator('.auth-container input').fill(token);
  await page.locator('.auth-container').getByRole('button', { name: 'Authorize' }).click();
  await told('Logged in with a token');
  await reload();
  await told('Logged in with a token');
});

test('The documentation page drops a token that ended while the page was away, and says so', async () => {
  const documentation = await visitWithToken(tokenUntil(Date.now() - 1_000));
  await documentation.told('The session has expired');
  expect(await kept(documentation)).toBe('{}');
});

test('The documentation page drops a token when it ends, and says so', async () => {
  const documentation = await visitWithToken(tokenUntil(Date.now() + 4_000));
  await documentation.told('The session has expired');
  expect(await kept(documentation)).toBe('{}');
});

test('The documentation page drops a token that the service refuses, and says so', async () => {
  const documentation = await visitWithToken(tokenUntil(Date.now() + 3_600_000));
  const { execute, open, told } = documentation;
  await told(ada);
  expect(await execute(await open('Contacts', 'list-contacts-by-stage'), {})).toBe('401');
  await told('The token was refused');
  expect(await kept(documentation)).toBe('{}');
});

test('The documentation page makes the best of what it finds kept', async () => {
  for (const [found, text] of [
    ['{', 'Not logged in'],
    ['null', 'Not logged in'],
    ['{"token":7}', 'Not logged in'],
    ['{"token":"no JWT"}', 'Logged in with a token'],
    ['{"token":"a.b.c"}', 'Logged in with a token'],
  ] as const) {
    const { told } = await visitAgain(found);
    await told(text);
  }
});

test('A link of an email opens its operation with its token in the body, and the token is no longer in the address', async () => {
  const at = (name: string, token: string) => `/api/docs#/Auth/${name}?token=${token}`;
  const { page, problems } = await tests.visit({ at: at('reset-password', 'org.user.se-cret_1') });
  const bodyOf = async (name: string) => {
    const operation = page.locator(`[id="operations-Auth-${name}"]`);
    await operation.getByRole('button', { name: 'Try it out' }).click();
    return JSON.parse(await operation.locator('textarea.body-param__text').inputValue());
  };
  expect(await bodyOf('reset-password')).toMatchObject({ token: 'org.user.se-cret_1' });
  expect(new URL(page.url()).hash).toBe('#/Auth/reset-password');

  // A second mail, where the page is open already.
  await page.goto(`${tests.host.url}${at('accept-invitation', 'org.invitation.se-cret_2')}`);
  await page.waitForURL((url) => url.hash === '#/Auth/accept-invitation');
  expect(await bodyOf('accept-invitation')).toMatchObject({ token: 'org.invitation.se-cret_2' });
  expect(problems).toEqual([]);
});
