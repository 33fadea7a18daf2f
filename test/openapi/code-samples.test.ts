import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { loadOperations } from '../../infra/registry.ts';
import { type Located, operationsIn, publishedBy } from './published.ts';

const described = operationsIn(publishedBy(await loadOperations()).document);
const base = 'http://127.0.0.1:3000';
const token = 'a token';

/** The request of the examples of an operation. */
function requestOf({ path, method, operation }: Located) {
  const { parameters = [], requestBody, security } = operation;
  const example = requestBody?.content['application/json']?.example;
  const url = new URL(
    base + path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(exampleOf(operation, name))),
  );
  for (const { name } of parameters.filter(
    (parameter) => parameter.in === 'query' && parameter.example !== undefined,
  )) {
    url.searchParams.set(name, exampleOf(operation, name));
  }
  return {
    url: url.href,
    method: method.toUpperCase(),
    headers: {
      ...(security.length === 1 && { authorization: `Bearer ${token}` }),
      ...(example !== undefined && { 'content-type': 'application/json' }),
    },
    body: example,
  };
}

function exampleOf({ parameters = [] }: Located['operation'], wanted: string): string {
  return String(parameters.find(({ name }) => name === wanted)?.example);
}

function sourcesOf(label: string): string[] {
  return described.map(({ operation }) => {
    const samples = operation['x-codeSamples'] ?? [];
    return samples.find((sample) => sample.label === label)?.source ?? '';
  });
}

test('The published document has a sample of every operation that sends its example with fetch', async () => {
  const sent: unknown[] = [];
  const fetch = (url: string, { method = 'GET', headers = {}, body }: RequestInit = {}) => {
    sent.push({ url, method, headers, body: body === undefined ? body : JSON.parse(String(body)) });
  };
  for (const source of sourcesOf('fetch')) {
    await new Function('fetch', 'base', 'token', `return (async () => {${source}})()`)(fetch, base, token);
  }
  expect(sent).toEqual(described.map(requestOf));
});

test('The published document has a sample of every operation that sends its example with curl', () => {
  // A `curl` that prints its arguments.
  const print = `curl() { printf '%s\\0' "$@"; printf '\\n\\0'; }`;
  const { stdout } = spawnSync('bash', ['-euc', [print, ...sourcesOf('curl')].join('\n')], {
    env: { BASE: base, TOKEN: token },
    encoding: 'utf8',
  });
  const sent = stdout
    .split('\n\0')
    .slice(0, -1)
    .map((text) => requestIn(text.split('\0').slice(0, -1)));
  expect(sent).toEqual(described.map(requestOf));
});

/** The request that these arguments of curl make. */
function requestIn(words: readonly string[]) {
  const after = (option: string) => words.filter((_, index) => words[index - 1] === option);
  const [body] = after('-d');
  return {
    url: words.find((word) => word.startsWith(base)),
    method: after('-X')[0] ?? 'GET',
    headers: Object.fromEntries(after('-H').map((header) => header.split(': '))),
    body: body === undefined ? body : JSON.parse(body),
  };
}
