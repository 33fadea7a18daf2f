import { expect, test } from 'vitest';
import { all, ask, askRoute, isRouted, paths } from './ask.ts';

test('GET /api/health says that the service is up', async () => {
  const { statusCode, body } = await ask('GET', '/api/health');
  expect([statusCode, body]).toEqual([200, '{"status":"ok"}']);
});

test('GET / sends a browser to the documentation', async () => {
  const { statusCode, headers, body } = await ask('GET', '/');
  expect([statusCode, headers.location, body]).toEqual([302, '/api/docs', '']);
});

test.each(['/api/nowhere', '/api/contacts/', '/api/contacts/id/stage/more', '/api', '//', '/favicon.ico'])(
  'A path that no operation has is 404 and named: GET %s',
  async (path) => {
    const { statusCode, headers, body } = await ask('GET', path);
    expect(statusCode).toBe(404);
    expect(headers).toMatchObject({ 'x-request-id': 'request-1', 'content-type': 'application/json' });
    expect(JSON.parse(body)).toEqual({
      success: false,
      message: `GET ${path} does not exist. GET /api/docs describes every operation.`,
    });
  },
);

test.each([
  '/<script>alert(1)</script>',
  '/Your account is blocked. Call +1 555 0100',
  '/api/ümlaut',
  `/${'a'.repeat(201)}`,
])('A path that no operation has is not repeated when it could not be one of ours: %s', async (path) => {
  const { statusCode, body } = await ask('GET', path);
  expect(statusCode).toBe(404);
  expect(JSON.parse(body).message).toBe('This path does not exist. GET /api/docs describes every operation.');
});

test('A path that no operation has is 404 even when the gateway has just lost a route that the table still has', async () => {
  const { statusCode, headers } = await askRoute('$default', 'GET', '/api/health');
  expect([statusCode, headers.allow]).toEqual([404, undefined]);
});

test('A path that no operation has is no reason to name the documentation where it is left out', async () => {
  const deployed = all.filter(({ name }) => name !== 'read-documentation');
  const messageOf = async (path: string) => {
    const { body } = await askRoute('$default', 'POST', path, {}, deployed);
    return JSON.parse(body).message;
  };
  expect(await messageOf('/api/nowhere')).toBe('POST /api/nowhere does not exist.');
  expect(await messageOf('/api/health')).toBe('This path takes GET, but not POST.');
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
  'A path that no operation has is 404 for %s too',
  async (method) => {
    expect((await ask(method, '/api/nowhere')).statusCode).toBe(404);
  },
);

test.each([
  ['GET', '/api/auth/login', 'POST', 'POST'],
  ['PATCH', '/api/contacts/any-id', 'DELETE, GET, PUT', 'DELETE, GET and PUT'],
  ['POST', '/api/docs', 'GET, HEAD', 'GET and HEAD'],
  ['OPTIONS', '/api/health', 'GET', 'GET'],
  ['POST', '/', 'GET, HEAD', 'GET and HEAD'],
  ['POST', '/api/contacts/Käthe & Söhne', 'DELETE, GET, PUT', 'DELETE, GET and PUT'],
])(
  'A path with other methods is 405 for %s %s, and says that it has %s',
  async (method, path, allow, listed) => {
    const { statusCode, headers, body } = await ask(method, path);
    expect([statusCode, headers.allow]).toEqual([405, allow]);
    expect(JSON.parse(body)).toEqual({
      success: false,
      message: `This path takes ${listed}, but not ${method}. GET /api/docs describes every operation.`,
    });
  },
);

test('A path with other methods is 405 without a body for HEAD where only other methods are', async () => {
  const { statusCode, headers, body } = await ask('HEAD', '/api/auth/login');
  expect([statusCode, headers.allow, body]).toEqual([405, 'POST', '']);
});

test.each(paths)(
  'A path with other methods allows exactly what the gateway leads to an operation: %s',
  async (route) => {
    const path = route.replaceAll(/\{\w+\}/g, 'some-id');
    const { statusCode, headers } = await ask('TRACE', path);
    expect(statusCode).toBe(405);
    expect(headers.allow?.split(', ')).toEqual(
      ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'].filter((method) => isRouted(method, path)),
    );
  },
);

test.each([
  ['/api/contacts/ada@example.com/stage/more', '/api/contacts/…/stage/…'],
  ['/+13035550100', '/…'],
  ['/api/nowhere?', '/api/…'],
  ['/', '/'],
  ['/v1/contacts', '/…/contacts'],
  ['/api/contacts/Käthe & Söhne', '/api/contacts/{id}'],
  [`/${'secret/'.repeat(50)}`, `/${'…/'.repeat(9)}…`],
])('The log keeps of an unknown path only what this API has, too: %s', async (path, logged) => {
  const lines: Record<string, unknown>[] = [];
  await askRoute('$default', 'PATCH', path, {}, all, (line) => lines.push(line));
  expect(lines).toEqual([expect.objectContaining({ method: 'PATCH', route: '$default', path: logged })]);
  expect(JSON.stringify(lines)).not.toMatch(/ada|3035550100|Käthe|secret/);
});
