import { expect, test } from 'vitest';
import { synthesized } from '../infra/synthesized.ts';
import { setUpLiveHost } from '../live/fixtures.ts';

const host = await setUpLiveHost();

const origin = 'https://app.example.com';

test.each(['/api/contacts', '/api/contacts/some-id/stage', '/api/no-such-route'])(
  'The host lets a page of any origin call %s with a bearer token and any other header',
  async (path) => {
    const { status, headers } = await fetch(`${host.url}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers':
          'authorization,content-type,idempotency-key,traceparent,x-b3-traceid',
      },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-headers')).toBe('authorization,*');
    expect(headers.get('access-control-allow-methods')).toContain('PUT');
  },
);

test("The host lets a page read the request id, the gateway's own and the server's time", async () => {
  const { headers } = await fetch(`${host.url}/api/health`, { headers: { origin } });
  const exposed = headers.get('access-control-expose-headers')?.split(',');
  for (const name of ['x-request-id', 'apigw-requestid', 'date']) {
    expect(exposed).toContain(name);
    expect(headers.get(name)).toBeTruthy();
  }
});

test('The host lets a page read what is left of a limit, and the wait of a 429', async () => {
  const { headers } = await fetch(`${host.url}/api/auth/login`, {
    method: 'POST',
    headers: { origin },
    body: JSON.stringify({ email: 'nobody@example.com', password: 'wrong' }),
  });
  expect(headers.get('ratelimit')).toMatch(/^"login-account";r=4;t=900, /);
  expect(headers.get('access-control-expose-headers')?.split(',')).toEqual(
    expect.arrayContaining([
      'idempotent-replayed',
      'ratelimit',
      'ratelimit-policy',
      'retry-after',
      'x-request-id',
    ]),
  );
});

test('The host lets a page read the challenge of a refused token', async () => {
  const { status, headers } = await fetch(`${host.url}/api/contacts`, {
    method: 'POST',
    headers: { origin, authorization: 'Bearer nonsense' },
  });
  expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('access-control-expose-headers')?.split(',')).toContain('www-authenticate');
});

test('The host lets a page use the object store as far as the bucket of the templates does', async () => {
  const buckets = (await synthesized()).ofType('AWS::S3::Bucket');
  const [rule] = buckets.flatMap(({ Properties }) => Properties.CorsConfiguration?.CorsRules ?? []);
  const endpoint = host.functionEnvironment('create-uploads').AWS_ENDPOINT_URL_S3;

  const { status, headers } = await fetch(`${endpoint}/any-bucket/any-key`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,traceparent',
    },
  });

  expect(status).toBe(200);
  expect(rule.AllowedHeaders).toEqual(['*']);
  expect(Object.fromEntries(headers)).toMatchObject({
    'access-control-allow-origin': rule.AllowedOrigins.join(', '),
    'access-control-allow-methods': rule.AllowedMethods.join(', '),
    'access-control-allow-headers': 'content-type,traceparent',
    'access-control-expose-headers': rule.ExposedHeaders.join(', '),
    'access-control-max-age': String(rule.MaxAge),
  });
});
