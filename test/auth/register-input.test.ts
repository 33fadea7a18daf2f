import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { everything, newcomer, readOrganization, readUser } from './records.ts';

const product = await setUpProduct();
const admin = await product.newOrganization();
const superadmin = await product.newSuperadmin();

const register = (more: Record<string, unknown> = {}, token?: string) =>
  product.call('register', { body: newcomer(more), token });

test('An email address is taken platform-wide, however it is written', async () => {
  expect((await register({ email: 'Taken@Example.com' })).body.user.email).toBe('taken@example.com');

  for (const email of ['taken@example.com', ' TAKEN@EXAMPLE.COM ', 'ｔａｋｅｎ@example.com']) {
    for (const token of [undefined, admin.token, superadmin.token]) {
      expect(await register({ email }, token)).toMatchObject({
        status: 409,
        body: { error: expect.stringContaining('already exists'), code: 'CONFLICT' },
      });
    }
  }
});

test('An email address registered 50 times at once makes exactly one account and one organization, and leaves nothing else', async () => {
  const before = await everything(product);
  await register();
  const afterOne = await everything(product);
  const email = 'everybody@example.com';

  const responses = await Promise.all(Array.from({ length: 50 }, () => register({ email })));

  const winners = responses.filter(({ status }) => status === 201);
  expect(winners).toHaveLength(1);
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(49);
  const { id: userId, organizationId } = winners[0]?.body.user ?? {};
  expect(await readUser(product, { userId, organizationId })).toMatchObject({ email });
  expect((await product.call('login', { body: { email, password } })).body.user.id).toBe(userId);

  const kinds = (keys: Set<string>, known: Set<string>) =>
    [...keys.difference(known)].map((key) => key.replaceAll(/[0-9A-Z]{26}|[\w-]{43}/g, '…')).sort();
  const session = 'IDENTITY#SESSIONS#… SESSION#…';
  const ofOne = kinds(afterOne, before);
  // The login above opened a session, of which the log has an entry, made its network known, and queued the email about it, and looked at
  // throttles, which it need not write.
  const network = 'IDENTITY#THROTTLE#KNOWN#… THROTTLE';
  const notice = 'IDENTITY#MAIL#… OUTGOING_MAIL#…';
  const entry = 'ORG#…#EVENT_LOG LOGGED#…';
  expect(kinds(await everything(product), afterOne)).toEqual(
    [...ofOne, session, entry, network, notice].sort(),
  );
  expect(ofOne.filter((key) => key.endsWith(' ORGANIZATION'))).toHaveLength(1);
});

test('An email address may contain what a key of the table must not', async () => {
  const email = "o'hara#sales+1@example.com";
  expect((await register({ email })).status).toBe(201);
  expect((await register({ email })).status).toBe(409);
  expect((await product.call('login', { body: { email, password } })).status).toBe(200);
});

test.each<[string, Record<string, unknown>, string]>([
  [
    'an address without a domain',
    { email: 'ada@' },
    'email must be an email address of at most 254 characters',
  ],
  ['an address with a line break', { email: 'ada@exa\nmple.com' }, 'email must be an email address'],
  ['two addresses', { email: 'a@b.co,c@d.co' }, 'email must be an email address'],
  ...[
    'x<bob@example.com>',
    'a,b@x.com',
    'bob(c)@x.com',
    '"a;b"@x.com',
    'a:b@x.com',
    'a\\b@x.com',
    'a@[b.c]',
  ].map((email): [string, Record<string, unknown>, string] => [
    `the address ${email}, which mail programs read in another way`,
    { email },
    'email must be an email address without any of <>()[],;:\\"',
  ]),
  [
    '51 departments',
    { departmentIds: Array.from({ length: 51 }, (_, n) => `d${n}`) },
    'departmentIds must have at most 50 items',
  ],
])('A registration with %s is told what is wrong', async (_, more, error) => {
  expect(await register(more)).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining(error), code: 'INVALID' },
  });
});

test('System fields and odd keys in a registration are ignored', async () => {
  const odd = '"_id":"mine","userId":"mine","constructor":{"prototype":{"a":1}},"toString":1,"disabled":true';
  const { status, body } = await product.call('register', {
    body: JSON.stringify(newcomer()).replace('{', `{${odd},`),
  });
  expect(status).toBe(201);
  expect(body.user.id).not.toBe('mine');
  expect((await product.call('login', { body: { email: body.user.email, password } })).status).toBe(200);
});

test.each([
  ['two names of 200 characters', { firstName: 'x'.repeat(200), lastName: 'y'.repeat(200) }],
  ['names outside the basic plane', { firstName: '\u{1F511}'.repeat(200), lastName: '\u{20BB7}' }],
])('An organization named after %s still has a name of at most 200', async (_, names) => {
  const { status, body } = await register(names);

  expect(status).toBe(201);
  const { name } = (await readOrganization(product, body.user.organizationId)) ?? {};
  expect([...(name ?? '')]).toHaveLength(200);
});
