import { expect, test } from 'vitest';
import { routeTable } from '../../infra/local/routes.ts';

/** The order in which AWS documents that routes are chosen, plus what follows from it. */
const find = routeTable(
  [
    '$default',
    'ANY /{proxy+}',
    'GET /pets/{proxy+}',
    'ANY /pets/dog/{id}',
    'GET /pets/dog/{id}',
    'GET /pets/dog/1',
    'GET /{kind}/dog/1',
    'GET /',
  ].map((key) => ({ key })),
);

test.each([
  ['GET', '/pets/dog/1', 'GET /pets/dog/1', {}],
  ['GET', '/pets/dog/2', 'GET /pets/dog/{id}', { id: '2' }],
  ['PUT', '/pets/dog/2', 'ANY /pets/dog/{id}', { id: '2' }],
  ['GET', '/pets/cat/1', 'GET /pets/{proxy+}', { proxy: 'cat/1' }],
  ['GET', '/wolves/dog/1', 'GET /{kind}/dog/1', { kind: 'wolves' }],
  ['POST', '/pets/cat/1', 'ANY /{proxy+}', { proxy: 'pets/cat/1' }],
  ['GET', '/pets/', 'ANY /{proxy+}', { proxy: 'pets/' }],
  ['GET', '/', 'GET /', {}],
  ['POST', '/', '$default', {}],
  ['GET', '/pets/dog/a%2Fb', 'GET /pets/dog/{id}', { id: 'a/b' }],
  ['GET', '/pets/dog/%', 'GET /pets/dog/{id}', { id: '%' }],
])('%s %s takes the route %s', (method, path, key, parameters) => {
  expect(find(method, path)).toEqual({ route: { key }, parameters });
});

test('without a default route a request may find none', () => {
  expect(routeTable([{ key: 'GET /a' }])('GET', '/b')).toBeUndefined();
});
