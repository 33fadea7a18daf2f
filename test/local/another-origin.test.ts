import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Running, startFixture } from './fixture/running.ts';

let running: Running;
beforeAll(async () => {
  running = await startFixture();
});
afterAll(() => running.stop());

const get = (path: string, init?: RequestInit) => fetch(`${running.host.url}${path}`, init);

describe('requests from another origin', () => {
  const origin = 'https://app.example.com';
  const preflight = { origin, 'access-control-request-method': 'POST' };

  test('a preflight request is answered without asking anybody', async () => {
    const response = await get('/private', { method: 'OPTIONS', headers: preflight });
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET,POST',
      'access-control-allow-headers': 'authorization,content-type',
      'access-control-expose-headers': 'x-request-id',
      'access-control-max-age': '3600',
    });
  });

  test('a preflight request from an origin that is not allowed gets no permission', async () => {
    const headers = { ...preflight, origin: 'https://evil.example.com' };
    const response = await get('/echo', { method: 'OPTIONS', headers });
    expect(response.status).toBe(204);
    expect(response.headers.has('access-control-allow-origin')).toBe(false);
  });

  test('a route for every method gets preflight requests too, as on API Gateway', async () => {
    const response = await get('/any/thing', { method: 'OPTIONS', headers: preflight });
    expect(((await response.json()) as APIGatewayProxyEventV2).routeKey).toBe('ANY /any/{proxy+}');
    expect(response.headers.get('access-control-allow-methods')).toBe('GET,POST');
  });

  test('answers carry the headers of the template, not those of the function', async () => {
    const response = await get('/behave/own-cors', { headers: { origin } });
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    const withoutOrigin = await get('/behave/own-cors');
    expect(withoutOrigin.headers.has('access-control-allow-origin')).toBe(false);
  });

  test("the gateway's own refusals carry them too", async () => {
    const response = await get('/private', { headers: { origin } });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
  });
});
