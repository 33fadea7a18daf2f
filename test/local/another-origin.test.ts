import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Running, startFixture } from './fixture/running.ts';

let running: Running;
beforeAll(async () => {
  running = await startFixture();
});
afterAll(() => running.stop());

const get = (path: string, init?: RequestInit) => fetch(`${running.host.url}${path}`, init);

const origin = 'https://app.example.com';
const preflight = { origin, 'access-control-request-method': 'POST' };

test('A preflight request gets its response from the gateway alone', async () => {
  const response = await get('/private', { method: 'OPTIONS', headers: preflight });
  expect(response.status).toBe(204);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET,POST',
    'access-control-allow-headers': 'authorization,content-type',
    'access-control-expose-headers': 'x-request-id',
    'access-control-max-age': '3600',
  });
});

test('Responses have the headers of the template, not those of the function', async () => {
  const response = await get('/behave/own-cors', { headers: { origin } });
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  const withoutOrigin = await get('/behave/own-cors');
  expect(withoutOrigin.headers.has('access-control-allow-origin')).toBe(false);
});

test("The gateway's own refusals carry them too", async () => {
  const response = await get('/private', { headers: { origin } });
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
});
