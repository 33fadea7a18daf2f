import { readFile } from 'node:fs/promises';
import { type Host, startHost } from '../../infra/local/host.ts';
import { ofKind, type Registered } from '../../infra/registry.ts';
import { type Prepared, seed } from '../../infra/seed/seed.ts';
import type { OutgoingMail } from '../../shared/kernel/providers/mail-provider.ts';
import { codeAt } from '../auth/factors-client.ts';
import { assembly } from '../harness/assembly.ts';
import { eventually } from '../harness/eventually.ts';
import type { Json } from '../harness/json.ts';
import { tokenIn } from '../harness/recording-mail.ts';
import { sendForm } from '../notes/uploads-client.ts';
import { preparedDemo } from '../seed/prepared-demo.ts';
import { type Located, operationsIn, type Published } from './published.ts';

/** Values that no document can print, by the operation: the part of the body that whoever tries the example has to fill in. */
const filledIn: Readonly<
  Record<string, (session: Session, host: Host) => Record<string, string> | Promise<Record<string, string>>>
> = {
  // Codes follow from a secret that is drawn when the factor is set up, and from the time. What is called `id` is in the path.
  'confirm-factor': async ({ token }, host) => {
    const { _id, secret } = await post(host, '/api/auth/factors', { type: 'totp' }, token);
    return { id: _id, code: codeAt(secret, new Date()) };
  },
  'list-factors': async ({ token }, host) => {
    await post(host, '/api/auth/factors', { type: 'totp' }, token);
    return {};
  },
  'delete-factor': async ({ token }, host) => {
    const [factor] = (await send(host, 'GET', '/api/auth/factors', token)).data;
    return { id: factor._id };
  },
  'login-with-factor': async (_, host) => {
    const email = 'noor@example.com';
    const [code = ''] = await recoveryCodesOf(host, email);
    const { mfaToken } = await post(host, '/api/auth/login', { email, password });
    return { mfaToken, code };
  },
  'delete-factors-of-user': async (_, host) => {
    await recoveryCodesOf(host, 'yuki@example.com');
    return {};
  },
  // Signed with a key that every fresh host draws for itself, and good for one use: a printed one would be a published credential.
  refresh: ({ refreshToken }) => ({ refreshToken }),
  // An object store takes a file only from whoever uploads it, and keeps it for a day.
  'import-contacts': async ({ token }, host) => {
    const file = { name: 'contacts.csv', type: 'text/csv', size: demoTable.length };
    const { files } = await post(host, '/api/upload', { files: [file] }, token);
    await sendForm(files[0], demoTable);
    return { key: files[0].key };
  },
  // From the link in an email.
  'reset-password': async (_, host) => {
    const email = 'matteo@example.com';
    await post(host, '/api/auth/password/forgot', { email });
    return { token: await tokenMailedTo(host, email) };
  },
  'accept-invitation': async ({ token }, host) => {
    const email = 'katherine@example.com';
    await post(host, '/api/users/invitations', { email }, token);
    return { token: await tokenMailedTo(host, email) };
  },
};

const password = 'switchboard-demo';

const demoTable = [
  'Full name;E-Mail;Mobile;City',
  'Emmy Noether;emmy.noether@example.com;+49 30 901820;Göttingen',
  'Sofya Kovalevskaya;sofya@example.com;+46 8 16 20 00;Stockholm',
  '',
].join('\r\n');

interface Session {
  readonly token: string;
  readonly refreshToken: string;
}

/** A host's answer to an example. */
export interface Tried {
  readonly operationId: string;
  /** Path and query, and the body as the document prints it. */
  readonly sent: { readonly url: string; readonly body: unknown };
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** When the data of the host begin to exist, which their ages count from. */
  readonly seededAt: Date;
  readonly answeredAt: Date;
}

/** Tried as somebody else: they end the sessions that other examples need, or keep them from logging in. */
const triedByAnother: ReadonlySet<string> = new Set([
  'change-password',
  'confirm-factor',
  'create-factor',
  'delete-factor',
  'list-factors',
]);

/** Sends every example of the document to a freshly seeded host, one after the other. */
export async function triedExamples(
  all: readonly Registered[],
  { document }: Published,
): Promise<readonly Tried[]> {
  const superadminOnly = ofKind(all, 'http').filter(
    ({ operation }) => operation.minimumRole === 'SUPERADMIN',
  );
  const forSuperadmins = new Set(superadminOnly.map(({ name }) => name));
  const host = await startHost({ assembly: await assembly(), port: 0 });
  try {
    const prepared = await preparedDemo();
    const { now: seededAt } = prepared;
    await seedFully(host, prepared);
    const admin = await logIn(host, 'admin@example.com');
    const superadmin = await logIn(host, 'superadmin@example.com');
    const another = await logIn(host, 'olena@example.com');
    const answers: Tried[] = [];
    for (const one of operationsIn(document)) {
      const { operationId } = one.operation;
      const usual = forSuperadmins.has(operationId) ? superadmin : admin;
      const session = triedByAnother.has(operationId) ? another : usual;
      const answered = await tried(host, one, session);
      answers.push(...answered.map((answer) => ({ ...answer, seededAt, answeredAt: new Date() })));
    }
    return answers;
  } finally {
    await host.stop();
  }
}

const post = (host: Host, path: string, body: object, token?: string) =>
  send(host, 'POST', path, token, body);

/** The body of the answer. */
async function send(host: Host, method: string, path: string, token?: string, body?: object): Promise<Json> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(host.url + path, { method, headers, ...sent });
  if (!response.ok) {
    throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  }
  return response.json();
}

/** Gives somebody a second factor. */
async function recoveryCodesOf(host: Host, email: string): Promise<string[]> {
  const { token } = await logIn(host, email);
  const { _id, secret } = await post(host, '/api/auth/factors', { type: 'totp' }, token);
  const code = codeAt(secret, new Date());
  return (await post(host, `/api/auth/factors/${_id}/confirm`, { code }, token)).recoveryCodes;
}

/** Waits for an email to the address in the file that takes the place of the provider, and follows its link. */
async function tokenMailedTo(host: Host, address: string): Promise<string> {
  const file = host.functionEnvironment('send-mail').MAIL_RECORD_FILE ?? '';
  const mail = await eventually(async () => {
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as OutgoingMail).find(({ to }) => to === address);
  });
  return tokenIn(mail);
}

async function seedFully(
  { dynamodbEndpoint, credentials, tableName }: Host,
  prepared: Prepared,
): Promise<void> {
  await seed({ dynamodbEndpoint, credentials, tableName, demo: true, password, prepared });
}

async function logIn({ url }: Host, email: string): Promise<Session> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    body: JSON.stringify({ email, password }),
  });
  if (response.status !== 200) {
    throw new Error(`${email} cannot log in: ${response.status} ${await response.text()}`);
  }
  return (await response.json()) as Session;
}

/** Sends the example as the document prints it, once in each content type: parameters, body, and a token where one is wanted. */
async function tried(
  host: Host,
  { path, method, operation }: Located,
  session: Session,
): Promise<Omit<Tried, 'seededAt' | 'answeredAt'>[]> {
  const { operationId, parameters = [], requestBody, security } = operation;
  const shown = parameters.flatMap((parameter) =>
    'name' in parameter && parameter.example !== undefined ? [parameter] : [],
  );
  const filled = await filledIn[operationId]?.(session, host);
  const shownValue = (name: string) =>
    encodeURIComponent(String(filled?.[name] ?? shown.find((parameter) => parameter.name === name)?.example));
  const url = new URL(host.url + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => shownValue(name)));
  for (const { name, example } of shown.filter((parameter) => parameter.in === 'query')) {
    url.searchParams.set(name, String(example));
  }
  const wantsToken = security.length > 0 && security.every((one) => 'bearer' in one);
  const authorization: Record<string, string> = wantsToken
    ? { authorization: `Bearer ${session.token}` }
    : {};
  const bodies = Object.entries(requestBody?.content ?? {}).map(([contentType, { example }]) => {
    const value = { ...(example as Record<string, string>), ...filled };
    if (contentType === 'multipart/form-data') {
      // `fetch` writes the content type with the boundary that it draws.
      return { printed: example, request: { body: formOf(value), headers: authorization } };
    }
    const isJson = contentType === 'application/json';
    const body = isJson ? JSON.stringify(value) : new URLSearchParams(value).toString();
    return {
      printed: example,
      request: { body, headers: { 'content-type': contentType, ...authorization } },
    };
  });
  const answers: Omit<Tried, 'seededAt' | 'answeredAt'>[] = [];
  const withoutBody = { printed: undefined, request: { headers: authorization } };
  for (const { printed, request } of bodies.length === 0 ? [withoutBody] : bodies) {
    const response = await fetch(url, { method: method.toUpperCase(), redirect: 'manual', ...request });
    const type = response.headers.get('content-type') ?? '';
    const sent = { url: url.pathname + url.search, body: printed };
    answers.push({ operationId, sent, status: response.status, type, text: await response.text() });
  }
  return answers;
}

function formOf(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, value);
  }
  return form;
}
