import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { namesThisHost } from '../../infra/local/gateway/own-host.ts';
import { interfaceAt } from '../../infra/local/listening.ts';

const asked = (host: string | undefined, localAddress = '127.0.0.1') =>
  ({ headers: { host }, socket: { localAddress, localPort: 3000 } }) as unknown as IncomingMessage;
const on = interfaceAt('0.0.0.0', 'crm.local', 'abc.ngrok.app');

test.each([
  'localhost:3000',
  'LOCALHOST:3000',
  '127.0.0.1:3000',
  '[::1]:3000',
  'crm.local:3000',
  'abc.ngrok.app',
])('%s is this host', (host) => {
  expect(namesThisHost(asked(host), on)).toBe(true);
});

test.each([
  undefined,
  '',
  'localhost',
  'localhost:3001',
  'evil.example',
  'evil.example:3000',
  'abc.ngrok.app:3000',
])('%s is another host', (host) => {
  expect(namesThisHost(asked(host), on)).toBe(false);
});

test('The address of this machine at which a request arrives is this host', () => {
  expect(namesThisHost(asked('192.0.2.7:3000', '::ffff:192.0.2.7'), on)).toBe(true);
  expect(namesThisHost(asked('[2001:db8::7]:3000', '2001:db8::7'), on)).toBe(true);
  expect(namesThisHost(asked('192.0.2.8:3000', '::ffff:192.0.2.7'), on)).toBe(false);
});

test('Without a tunnel, no other host is this one', () => {
  expect(namesThisHost(asked('abc.ngrok.app'), interfaceAt('127.0.0.1'))).toBe(false);
});
