import { expect, test } from 'vitest';
import { ask } from './ask.ts';

const rules = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

const answers: [what: string, method: string, path: string, headers: Record<string, string>][] = [
  ['JSON', 'GET', '/api/health', {}],
  ['the documentation', 'GET', '/api/docs', {}],
  ['the documentation that a browser has kept', 'GET', '/api/docs', { 'if-none-match': '*' }],
  ['the description', 'GET', '/api/openapi.json', {}],
  ['an answer without a body', 'HEAD', '/api/docs', {}],
  ['a redirect', 'GET', '/', {}],
  ['a path that does not exist', 'GET', '/api/nowhere', {}],
  ['a method that the path does not have', 'POST', '/api/health', {}],
];

test.each(answers)(
  'A browser guesses no type, shows no frame, passes on no address and comes back by HTTPS: %s',
  async (_what, method, path, asked) => {
    const { headers } = await ask(method, path, { 'x-forwarded-proto': 'https', ...asked });
    expect(headers).toMatchObject({ ...rules, 'strict-transport-security': 'max-age=31536000' });
  },
);

test.each(answers)(
  'A browser that came without HTTPS is not sent there: %s',
  async (_what, method, path, asked) => {
    const { headers } = await ask(method, path, { ...asked, 'x-forwarded-proto': 'http' });
    expect(headers).toMatchObject(rules);
    expect(headers).not.toHaveProperty('strict-transport-security');
  },
);
