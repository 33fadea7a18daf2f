import { expect, test } from 'vitest';
import { routeTable } from '../../infra/local/gateway/routes.ts';

const find = routeTable(
  [
    '$default',
    'GET /{kind}/dog/1',
    'GET /pets/dog/{id}',
    'PUT /pets/dog/{id}',
    'GET /pets/dog/1',
    'GET /',
  ].map((key) => ({ key })),
);

test.each([
  ['GET', '/pets/dog/1', 'GET /pets/dog/1', {}],
  ['GET', '/pets/dog/2', 'GET /pets/dog/{id}', { id: '2' }],
  ['PUT', '/pets/dog/1', 'PUT /pets/dog/{id}', { id: '1' }],
  ['GET', '/wolves/dog/1', 'GET /{kind}/dog/1', { kind: 'wolves' }],
  ['GET', '/pets/dog/', '$default', {}],
  ['GET', '/pets/dog/1/2', '$default', {}],
  ['GET', '/', 'GET /', {}],
  ['POST', '/', '$default', {}],
  ['GET', '/pets/dog/a%2Fb', 'GET /pets/dog/{id}', { id: 'a/b' }],
  ['GET', '/pets/dog/%', 'GET /pets/dog/{id}', { id: '%' }],
])('%s %s takes the route %s', (method, path, key, parameters) => {
  expect(find(method, path)).toEqual({ route: { key }, parameters });
});

test('A literal segment wins over a parameter, whatever shorter routes there are', () => {
  const keys = ['GET /a/{id}', 'POST /a', 'GET /a/b', 'GET /a/b/c'].map((key) => ({ key }));
  for (const order of [keys, keys.toReversed()]) {
    expect(routeTable(order)('GET', '/a/b')?.route).toEqual({ key: 'GET /a/b' });
  }
});

test('Without a default route a request may find none', () => {
  expect(routeTable([{ key: 'GET /a' }])('GET', '/b')).toBeUndefined();
});
