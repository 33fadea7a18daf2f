import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { credentialsKey } from '../../functions/auth/model/credentials.ts';
import { emailDigest, NewEmail, SentEmail } from '../../functions/auth/model/email.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { toDigest } from '../../shared/table/digest.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';

/** Decisions 3: “unique platform-wide, compared in NFKC lower case without invisible characters, the domain in ASCII (IDNA)”. */

const product = await setUpProduct();
const password = 'correct horse battery staple';
const register = (email: string) =>
  product.call('register', { body: { email, password, firstName: 'Ada', lastName: 'King' } });
const login = async (email: string) => (await product.call('login', { body: { email, password } })).status;
const digestOfNew = (email: unknown) => emailDigest(NewEmail.parse(email));
const own = (rest: string) => `${randomUUID()}${rest}`;

test.each([
  ['UTS 46, the same domain in ASCII', '@müller.example', '@xn--mller-kva.example'],
  ['UTS 46, and the other way round', '@xn--mller-kva.example', '@müller.example'],
  ['RFC 5891, labels in ASCII have no case', '@XN--MLLER-KVA.example', '@müller.example'],
  ['UTS 46, capital letters', '@MÜLLER.example', '@müller.example'],
  ['UAX 15, composed and decomposed', '@mu\u0308ller.example', '@müller.example'],
  ['UTS 46, another script', '@例え.テスト', '@xn--r8jz45g.xn--zckzah'],
  ['UTS 46, an ideographic full stop', '@例え。テスト', '@例え.テスト'],
  ['UTS 46, the same in half width', '@example｡com', '@example.com'],
  ['UTS 46, a full stop in full width', '@example．com', '@example.com'],
  ['UTS 46, eszett is itself', '@faß.example', '@xn--fa-hia.example'],
  ['UAX 15, full-width letters', '@ＥＸＡＭＰＬＥ.com', '@example.com'],
  ['Unicode 5.21, a zero-width blank', '\u200bx@example.com', 'x@example.com'],
  ['Unicode 5.21, a word joiner', 'x\u2060@example.com', 'x@example.com'],
  ['Unicode 5.21, a soft hyphen', 'x\u00ad@exam\u00adple.com', 'x@example.com'],
  ['Unicode 5.21, a byte order mark', 'x@example.com\ufeff', 'x@example.com'],
  ['Unicode 5.21, a mark of direction', 'x@\u200eexample.com', 'x@example.com'],
  ['decisions 3, lower case', 'X@Example.COM', 'x@example.com'],
])('%s: %j and %j are one account', (_, written, other) => {
  const [first, second] = [written, other].map((rest) => `ada${rest}`);
  expect(digestOfNew(first)).toBe(digestOfNew(second));
  expect(emailDigest(SentEmail.parse(second))).toBe(digestOfNew(first));
});

test('An account is logged in to, and not registered again, under another spelling of its address', async () => {
  const first = own('@M\u00dcLLER.example');
  const other = first.replace('M\u00dcLLER', 'xn--mller-kva');
  expectStatus(await register(first), 201);
  expect((await register(other)).status).toBe(409);
  expect([await login(first), await login(other)]).toEqual([200, 200]);
});

test.each([
  ['UTS 46, eszett is not ss', '@faß.example', '@fass.example'],
  ['UTS 46, ü is not u', '@müller.example', '@muller.example'],
  ['RFC 5321, the local part is not the domain', 'ü@example.com', 'u@example.com'],
  ['decisions 3, accents stay', 'é@example.com', 'e@example.com'],
  ['a hyphen that is visible', 'a-b@example.com', 'ab@example.com'],
])('%s: %j and %j are two accounts', (_, written, other) => {
  expect(digestOfNew(`ada${written}`)).not.toBe(digestOfNew(`ada${other}`));
});

test.each(['@a\u200db.ü.', '@xn--a.ü', '@ü..example', '@-ü\u0000.example'])(
  'An address with the domain %j is refused',
  (rest) => {
    expect(NewEmail.safeParse(`x${rest}`).success).toBe(false);
  },
);

test('Of simultaneous registrations in two spellings one wins', async () => {
  const name = randomUUID();
  const spellings = ['@bücher.example', '@xn--bcher-kva.example', '@BÜCHER.example', '\u200b@bücher.example'];
  const statuses = await Promise.all(spellings.map(async (rest) => (await register(name + rest)).status));
  expect(statuses.sort()).toEqual([201, 409, 409, 409]);
});

const { ports } = newInvocation(systemRuntime, product.providers);
const { identity } = ports({ identity: 'write' }, undefined) as Ports<{ identity: 'write' }>;

test.each(['@xn--mller-kva.example', 'x\u200b@example.com', '@müller.example', '@example.com'])(
  'An account from before, under its address %j as it was, still logs in and is not registered again',
  async (rest) => {
    const email = own(rest);
    expectStatus(await register(email), 201);
    const stored = await identity.read(credentialsKey(emailDigest(email)));
    const former = credentialsKey(toDigest(email));
    await identity.commit(
      [
        identity.delete(credentialsKey(emailDigest(email))),
        ...(stored === undefined ? [] : [identity.put(former, stored.data)]),
      ].slice(toDigest(email) === emailDigest(email) ? 1 : 0),
    );
    expect(await login(email)).toBe(200);
    expect((await register(email)).status).toBe(rest.includes('\u200b') ? 201 : 409);
  },
);

const invisible = [
  ['a zero-width space', '\u200b'],
  ['a zero-width non-joiner', '\u200c'],
  ['a zero-width joiner', '\u200d'],
  ['a soft hyphen', '\u00ad'],
  ['a word joiner', '\u2060'],
  ['a mark from right to left', '\u200f'],
  ['a variation selector', '\ufe0f'],
  ['a tag character', '\u{e0041}'],
  ['a grapheme joiner', '\u034f'],
  ['a Hangul filler', '\u3164'],
] as const;

test.each(invisible)('%s makes no twin of an address', (_, sign) => {
  expect(NewEmail.parse(`${sign}v${sign}x@exam${sign}ple.com${sign}`)).toBe('vx@example.com');
});

test('No invisible character is in the address of an invitation', async () => {
  const { token } = await product.newOrganization();
  const name = randomUUID();
  const signs = invisible.map(([, sign]) => sign).join('');
  const body = { email: `v${signs}${name}@exam${signs}ple.com` };
  const { data } = expectStatus(await product.call('invite-user', { token, body }), 201);
  expect(data.email).toBe(`v${name}@example.com`);
  const listed = expectStatus(await product.call('list-invitations', { token }), 200);
  expect(listed.data.map(({ email }: { email: string }) => email)).toEqual([`v${name}@example.com`]);
});

test('An accent that an invisible character kept apart from its letter is part of the letter without it', () => {
  expect(NewEmail.parse('u\u034f\u0308@example.com')).toBe('\u00fc@example.com');
});

test.each(['\ufff9', '\u0601', '\u{110bd}'])('An address with the format character %j is refused', (sign) => {
  expect(NewEmail.safeParse(`v${sign}x@example.com`).error?.issues).toMatchObject([
    { message: 'must be an email address without invisible characters' },
  ]);
});

test('An email address in normal form is its own normal form, for every character there is', () => {
  const unstable: string[] = [];
  for (let code = 0x21; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    if (!character.isWellFormed() || character.normalize('NFKC').toLowerCase() === character) {
      continue;
    }
    const once = SentEmail.parse(`x${character}x@example.com`);
    if (SentEmail.parse(once) !== once) {
      unstable.push(code.toString(16));
    }
  }
  expect(unstable).toEqual([]);
});

test.each([
  '',
  'ada',
  '@example.com',
  'ada@example',
  'ada@.com',
  'a b@example.com',
  'a@b@example.com',
  'ada@example..com',
  'a\u0000@b.co',
])('An email address %j is none', (address) => {
  expect(NewEmail.safeParse(address).success).toBe(false);
});
