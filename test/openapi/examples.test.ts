import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Host, startHost } from '../../infra/local/host.ts';
import { seed } from '../../infra/local/seed/seed.ts';
import { ofKind, operations } from '../../infra/registry.ts';
import { assembly } from '../harness/assembly.ts';
import { type Located, operationsIn, type Published, publishedBy } from './published.ts';

/** What no document can print, by the operation: the part of the body that whoever tries the example has to fill in. */
const filledIn: Readonly<Record<string, (session: Session) => Record<string, string>>> = {
  // Signed with a key that every fresh host draws for itself, and good for one use: a printed one would be a published credential.
  refresh: ({ refreshToken }) => ({ refreshToken }),
};

const password = 'switchboard-demo';
let host: Host;
let published: Published;
let described: Located[];
let forSuperadmins: ReadonlySet<string>;

interface Session {
  readonly token: string;
  readonly refreshToken: string;
}

beforeAll(async () => {
  const all = await operations();
  published = publishedBy(all);
  described = operationsIn(published.document);
  const superadminOnly = ofKind(all, 'http').filter(
    ({ operation }) => operation.minimumRole === 'SUPERADMIN',
  );
  forSuperadmins = new Set(superadminOnly.map(({ name }) => name));
  host = await startHost({ assembly: await assembly(), port: 0 });
  const { dynamodbEndpoint, credentials, tables } = host;
  const [tableName = ''] = Object.values(tables);
  await seed({ dynamodbEndpoint, credentials, tableName, demo: true, password });
});

afterAll(() => host?.stop());

async function logIn(email: string): Promise<Session> {
  const response = await fetch(`${host.url}/api/auth/login`, {
    method: 'POST',
    body: JSON.stringify({ email, password }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Session;
}

interface Tried {
  readonly operationId: string;
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Sends the example as the document prints it, once in each content type: parameters, body, and a token where one is wanted. */
async function tried({ path, method, operation }: Located, session: Session): Promise<Tried[]> {
  const { operationId, parameters = [], requestBody, security } = operation;
  const shown = parameters.flatMap((one) => ('name' in one && one.example !== undefined ? [one] : []));
  const shownValue = (name: string) =>
    encodeURIComponent(String(shown.find((one) => one.name === name)?.example));
  const url = new URL(host.url + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => shownValue(name)));
  for (const { name, example } of shown.filter((one) => one.in === 'query')) {
    url.searchParams.set(name, String(example));
  }
  const wantsToken = security.length > 0 && security.every((one) => 'bearer' in one);
  const authorization: Record<string, string> = wantsToken
    ? { authorization: `Bearer ${session.token}` }
    : {};
  const bodies = Object.entries(requestBody?.content ?? {}).map(([contentType, { example }]) => {
    const value = { ...(example as Record<string, string>), ...filledIn[operationId]?.(session) };
    const isJson = contentType === 'application/json';
    const body = isJson ? JSON.stringify(value) : new URLSearchParams(value).toString();
    return { body, headers: { 'content-type': contentType, ...authorization } };
  });
  const answers: Tried[] = [];
  for (const sent of bodies.length === 0 ? [{ headers: authorization }] : bodies) {
    const response = await fetch(url, { method: method.toUpperCase(), redirect: 'manual', ...sent });
    const type = response.headers.get('content-type') ?? '';
    answers.push({ operationId, status: response.status, type, text: await response.text() });
  }
  return answers;
}

/** Nothing for an answer of success that the document describes. */
function problemsOf({ operationId, status, type, text }: Tried): string[] {
  if (status === 303) {
    return [];
  }
  if (status < 200 || status > 299) {
    return [`${operationId}: ${status} ${text.slice(0, 300)}`];
  }
  const body = type.startsWith('application/json') ? JSON.parse(text) : text;
  return published
    .responseProblems(operationId, status, body, type)
    .map((problem) => `${operationId}: ${problem}`);
}

test('every example of the document works as printed on a freshly seeded host, one after the other', async () => {
  const admin = await logIn('admin@example.com');
  const superadmin = await logIn('superadmin@example.com');
  const problems: string[] = [];
  for (const one of described) {
    const session = forSuperadmins.has(one.operation.operationId) ? superadmin : admin;
    problems.push(...(await tried(one, session)).flatMap(problemsOf));
  }

  expect(described.length).toBeGreaterThanOrEqual(100);
  expect(problems).toEqual([]);
}, 240_000);
