import { describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../shared/ports/outgoing-posts/public-address.ts';
import { outgoingPosts, provideOutgoingPosts } from '../../shared/ports/outgoing-posts.ts';

/** The addresses of each name that the tests use. */
const names: Record<string, string[]> = {
  'example.com': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'xn--bcher-kva.example': ['93.184.215.14'],
  'inside.example.com': ['10.0.0.7'],
  'half-inside.example.com': ['93.184.215.14', '10.0.0.7'],
  'mapped.example.com': ['::ffff:169.254.169.254'],
  'zone.example.com': ['fe80::1%eth0'],
  'this-machine.example.com': ['127.0.0.1'],
  'half-this-machine.example.com': ['127.0.0.1', '93.184.215.14'],
  'odd.example.com': ['not an address'],
};

const find = async (name: string) => names[name.replace(/\.$/, '')] ?? [];

const refused = { reason: 'refused_address', message: expect.any(String) };

describe('A URL is refused, however its inner address is written', () => {
  test.each([
    // Decimal, octal, hexadecimal, short and mixed forms of IPv4.
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0X7F.0.0.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://00000177.0x0.0.01/',
    'https://127.1/',
    'https://127.0.1/',
    'https://0x7f.1/',
    'https://127.0.0.1./',
    'https://127.255.255.254/',
    'https://%31%32%37.0.0.1/',
    'https://127%2e0%2e0%2e1/',
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://127．0．0｡1/',
    'https://①②⑦.0.0.1/',
    'https://12\t7.0.\n0.1/',
    'https:\\\\127.0.0.1\\path',
    'https:127.0.0.1',
    'https://0/',
    'https://0.0.0.0/',
    'https://0.1.2.3/',
    'https://10.0.0.1/',
    'https://167772161/',
    'https://012.0.0.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://2852039166/',
    'https://0xA9FEA9FE/',
    'https://0251.0376.0251.0376/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.0.0.8/',
    'https://192.0.2.1/',
    'https://192.88.99.1/',
    'https://192.168.0.1/',
    'https://192.168.257/',
    'https://198.18.0.1/',
    'https://198.19.255.255/',
    'https://198.51.100.1/',
    'https://203.0.113.1/',
    'https://224.0.0.1/',
    'https://239.255.255.250:1900/',
    'https://240.0.0.1/',
    'https://255.255.255.255/',
    // IPv6, and its forms that carry an IPv4 address.
    'https://[::]/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[0000:0000:0000:0000:0000:0000:0000:0001]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::FFFF:0A00:0001]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[::127.0.0.1]/',
    'https://[::10.0.0.1]/',
    'https://[::ffff:0:10.0.0.1]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[64:ff9b:1::10.0.0.1]/',
    'https://[64:ff9b:1::8.8.8.8]/',
    'https://[2002:7f00:1::]/',
    'https://[2002:a00:1::1]/',
    'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
    'https://[2001:0:53aa:64c:0:0:f5ff:fffe]/',
    'https://[2a00:1450:4001:830:0:5efe:10.0.0.1]/',
    'https://[2a00:1450:4001:830:200:5efe:c0a8:1]/',
    'https://[100::1]/',
    'https://[100:0:0:1::1]/',
    'https://[2001:2::1]/',
    'https://[2001:10::1]/',
    'https://[2001:db8::1]/',
    'https://[3fff::1]/',
    'https://[5f00::1]/',
    'https://[fc00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://[4000::1]/',
    // Names, user names and what no parser takes.
    'https://localhost/',
    'https://LOCALHOST./',
    'https://ｌｏｃａｌｈｏｓｔ/',
    'https://api.localhost/',
    'https://inside.example.com/',
    'https://INSIDE.example.com./',
    'https://inside。example。com/',
    'https://half-inside.example.com/',
    'https://mapped.example.com/',
    'https://zone.example.com/',
    'https://odd.example.com/',
    'https://this-machine.example.com/',
    'https://example.com@127.0.0.1/',
    'https://example.com:443@10.0.0.1/',
    'https://user@example.com/',
    'https://user:password@example.com/',
    'https://:password@example.com/',
    'https://[fe80::1%25eth0]/',
    'https://[fe80::1%eth0]/',
    'https://[::1',
    'https://1.2.3.256/',
    'https://0x100000000/',
    'https:///',
    '//example.com/',
    'example.com',
    '',
  ])('%j', async (url) => {
    const posts = outgoingPosts('https', find);

    expect(await posts.check(url)).toEqual(refused);
    expect(await posts.post({ url, headers: {}, body: '{}', timeout: 60_000, keptBytes: 10 })).toEqual({
      error: 'refused_address',
      milliseconds: expect.any(Number),
    });
  });
});

test.each([
  'https://example.com/',
  'https://EXAMPLE.com.:443/hooks?a=b#c',
  'https://example.com:1024/',
  'https://example.com:65535/',
  'https://bücher.example/',
  'https://8.8.8.8/',
  'https://134744072/',
  'https://100.63.255.255/',
  'https://172.32.0.1/',
  'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
  'https://[64:ff9b::8.8.8.8]/',
])('%s is a URL on the public internet', async (url) => {
  expect(await outgoingPosts('https', find).check(url)).toBeUndefined();
});

test.each(['192.31.196.1', '192.175.48.1', '192.52.193.1', '2001:4:112::1', '2620:4f:8000::1', '2001:3::1'])(
  '%s is a special address that IANA calls globally reachable',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test.each([
  ['https://example.com:80/', 'The port must be 443 or above 1023'],
  ['https://example.com:22/', 'The port must be 443 or above 1023'],
  ['https://example.com:1023/', 'The port must be 443 or above 1023'],
  ['http://example.com/', 'The URL must begin with https://'],
  ['ftp://example.com/', 'The URL must begin with https://'],
  ['file:///etc/passwd', 'The URL must begin with https://'],
  ['javascript:alert(1)', 'The URL must begin with https://'],
  ['https://user@example.com/', 'The URL must not have a user name or a password'],
  ['https://exa mple.com/', 'The URL cannot be read'],
])('Of %s it is said what is wrong: %s', async (url, words) => {
  const problem = await outgoingPosts('https', find).check(url);

  expect(problem).toEqual({ reason: 'refused_address', message: expect.stringContaining(words) });
});

test('The operator may allow addresses without TLS, on port 80 or above 1023', async () => {
  const posts = outgoingPosts('http', find);

  expect(await posts.check('http://example.com/')).toBeUndefined();
  expect(await posts.check('http://example.com:8080/')).toBeUndefined();
  expect(await posts.check('http://example.com:443/')).toMatchObject({ message: /80 or above 1023/ });
  expect(await posts.check('http://10.0.0.1/')).toEqual(refused);
  expect(await posts.check('http://127.0.0.1:3000/')).toEqual(refused);
  expect(await posts.check('ftp://example.com/')).toMatchObject({ message: /https:\/\/ or http:\/\// });
});

test('The local host may post to itself, by address or by a name that is nothing else, and to no other inner address', async () => {
  const posts = outgoingPosts('local', find);
  for (const host of [
    '127.0.0.1',
    '127.8.8.8',
    '2130706433',
    '[::1]',
    'localhost',
    'this-machine.example.com',
  ]) {
    expect(await posts.check(`http://${host}:4000/`)).toBeUndefined();
  }
  for (const host of [
    '0.0.0.0',
    '10.0.0.1',
    '169.254.169.254',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[2002:7f00:1::]',
    'half-this-machine.example.com',
  ]) {
    expect(await posts.check(`http://${host}:4000/`)).toEqual(refused);
  }
  expect(await posts.check('http://127.0.0.1:22/')).toMatchObject({ message: /80 or above 1023/ });
});

test('A name that does not resolve is told apart, because it may resolve later', async () => {
  const posts = outgoingPosts('https', find);

  expect(await posts.check('https://new.example.com/')).toEqual({
    reason: 'unresolved',
    message: 'The name new.example.com does not resolve to an address now',
  });
  const post = { url: 'https://new.example.com/', headers: {}, body: '', timeout: 60_000, keptBytes: 10 };
  expect(await posts.post(post)).toMatchObject({ error: 'dns' });
});

test('A process does not start with a policy that does not exist', () => {
  expect(() => provideOutgoingPosts({ OUTGOING_POSTS: 'anything' })).toThrow(
    'OUTGOING_POSTS must be one of https, http, local',
  );
  expect(() => provideOutgoingPosts({})).toThrow('OUTGOING_POSTS is not set');
});
