import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Host, startHost } from '../../infra/local/host.ts';
import { assembly } from '../harness/assembly.ts';

let host: Host;
beforeAll(async () => {
  host = await startHost({ assembly: await assembly(), port: 0 });
});
afterAll(() => host.stop());

it.each(['/api/contacts', '/api/contacts/some-id/stage', '/api/no-such-route'])(
  'lets a page of any origin call %s with a bearer token',
  async (path) => {
    const { status, headers } = await fetch(`${host.url}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-headers')).toContain('authorization');
    expect(headers.get('access-control-allow-methods')).toContain('PUT');
  },
);

it('lets the page read the request id of an answer', async () => {
  const { headers } = await fetch(`${host.url}/api/health`, {
    headers: { origin: 'https://app.example.com' },
  });
  expect(headers.get('access-control-expose-headers')).toContain('x-request-id');
  expect(headers.get('x-request-id')).toBeTruthy();
});
