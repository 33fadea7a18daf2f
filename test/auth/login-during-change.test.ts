import { afterEach, expect, test } from 'vitest';
import type { InvocationScope } from '../../shared/kernel/ports.ts';
import type { Key } from '../../shared/table/key.ts';
import type { TableReader } from '../../shared/table/table.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { cheapPasswords, password } from '../harness/product.ts';
import { newPassword, refused, sessionsClient } from './sessions-client.ts';

const product = await setUpProduct();
const { refresh, logIn, change, statusOfLogin } = sessionsClient(product);
afterEach(() => {
  product.providers.passwords = () => cheapPasswords;
});

type Organizations = (id: string) => TableReader;

test('A login with the old password that has read the account before the change, and the user after it, is 401', async () => {
  const person = await product.newOrganization();
  const organizations = product.providers.organizations as (scope: InvocationScope) => Organizations;
  let changing: ReturnType<typeof change> | undefined;
  product.providers.organizations = (scope) => (id: string) => {
    const table = organizations(scope)(id);
    return {
      ...table,
      async read<Data>(key: Key<Data>) {
        product.providers.organizations = organizations;
        changing ??= change(person);
        await changing;
        return table.read(key);
      },
    };
  };
  expect(await statusOfLogin(person, password)).toBe(401);
  expect((await changing)?.status).toBe(200);
});

test('A login with the old password that comes to its end just before the change leaves no session that goes on', async () => {
  const person = await product.newOrganization();
  let early: string | undefined;
  product.providers.passwords = () => ({
    ...cheapPasswords,
    async hash(sent: string) {
      // The change has begun, and verified the old password.
      early = (await logIn(person)).refreshToken;
      return cheapPasswords.hash(sent);
    },
  });
  expect((await change(person)).status).toBe(200);
  expect((await refresh(early)).body).toEqual(refused);
});

test('A login with the old password that stores a new hash of it during the change leaves no session that goes on, nor the old password', async () => {
  const person = await product.newOrganization();
  let changed: Awaited<ReturnType<typeof change>> | undefined;
  product.providers.passwords = () => ({
    ...cheapPasswords,
    verify: async (sent: string, hash: string) => ({
      ...(await cheapPasswords.verify(sent, hash)),
      outdated: true,
    }),
    async hash(sent: string) {
      // The login has verified the old password.
      product.providers.passwords = () => cheapPasswords;
      changed = await change(person);
      return cheapPasswords.hash(sent);
    },
  });
  const { refreshToken } = await logIn(person);
  expect(changed?.status).toBe(200);
  expect((await refresh(refreshToken)).body).toEqual(refused);
  expect(await statusOfLogin(person, password)).toBe(401);
  expect(await statusOfLogin(person, newPassword)).toBe(200);
});

test('20 logins with the old password around the change leave no session that goes on, whichever comes first', async () => {
  const person = await product.newOrganization();
  const body = { email: person.email, password };
  const login = () => product.call('login', { body });
  const [before, changed, ...after] = await Promise.all([
    login(),
    change(person),
    ...Array.from({ length: 19 }, login),
  ]);
  expect(changed.status).toBe(200);
  const opened = [before, ...after].filter(({ status }) => status === 200);
  const renewed = await Promise.all(opened.map(({ body: session }) => refresh(session.refreshToken)));
  expect(renewed.map(({ status }) => status)).toEqual(opened.map(() => 401));
});
