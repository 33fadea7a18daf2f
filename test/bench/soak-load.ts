import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { usualPassword } from '../../infra/local/seed/seed.ts';

/** One answer. */
export interface Sample {
  readonly work: Work;
  /** 0 when the host gave none. */
  readonly status: number;
  readonly ms: number;
  /** Seconds since the load began. */
  readonly second: number;
}

/** The last is of a bare server, which is asked whenever the host is. */
export const works = ['board', 'create', 'update', 'move', 'text in', 'log in', 'bare server'] as const;
export type Work = (typeof works)[number];

/** A second of the load: ten requests, one each tenth of it, whether or not the former are answered. */
const second: readonly Work[] = [
  'board',
  'create',
  'update',
  'move',
  'text in',
  'board',
  'create',
  'update',
  'move',
  'board',
];
const tenth = 100;
const loginMilliseconds = 5 * 60_000;
/** Contacts that are changed: the newest of those that were created here. */
const mostContacts = 500;
/** Of the demo data; it takes texts without a signature. */
const ownNumber = '+12025550142';

const adminEmail = 'admin@example.com';

type Call = (method: string, path: string, body: unknown) => Promise<unknown>;

/** Logs in as one of the demo's people. `call` rejects for whatever is no success. */
export async function loggedIn(
  url: string,
  email = adminEmail,
): Promise<{ call: Call; token: string; user: { id: string; organizationId: string } }> {
  const { body, status } = await requested(url, 'POST', '/api/auth/login', {
    email,
    password: usualPassword,
  });
  if (status !== 200) {
    throw new Error(`${email} cannot log in: ${status} ${JSON.stringify(body)}`);
  }
  const { token, user } = body as { token: string; user: { id: string; organizationId: string } };
  return {
    token,
    user,
    async call(method, path, sent) {
      const answer = await requested(url, method, path, sent, token);
      if (answer.status >= 300) {
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      return answer.body;
    },
  };
}

/** Works as a small team does, for so long. The first seconds, which start the functions, are left out. */
export async function load(url: string, bareUrl: string, minutes: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  const contacts: string[] = [];
  const pending = new Set<Promise<unknown>>();
  let start = performance.now();
  let token = (await loggedIn(url)).token;
  let loginAt = start + loginMilliseconds;

  async function measured(work: Work, request: () => ReturnType<typeof requested>) {
    const began = performance.now();
    const { status, body } = await request().catch((error: unknown) => ({ status: 0, body: String(error) }));
    const ended = performance.now();
    samples.push({ work, status, ms: ended - began, second: (began - start) / 1_000 });
    if (status === 0 || status >= 500 || ended - began > 500) {
      const at = ((began - start) / 1_000).toFixed(1);
      console.log(
        `  ${at} s  ${work}  ${status}  ${(ended - began).toFixed()} ms  ${status < 300 ? '' : JSON.stringify(body)}`,
      );
    }
    return body as { token?: string; data?: { _id?: string } };
  }

  async function run(work: Work, turn: number): Promise<void> {
    const contact = contacts[Math.floor(Math.random() * contacts.length)];
    const path = `/api/contacts/${contact}`;
    switch (work) {
      case 'board':
        await measured(work, () => requested(url, 'POST', '/api/contacts', {}, token));
        return;
      case 'create': {
        const sent = { firstName: 'Ada', lastName: `Of turn ${turn}` };
        const { data } = await measured(work, () =>
          requested(url, 'POST', '/api/contacts/create', sent, token),
        );
        if (data?._id !== undefined) {
          contacts.push(data._id);
          contacts.splice(0, contacts.length - mostContacts);
        }
        return;
      }
      case 'update':
        await measured(work, () => requested(url, 'PUT', path, { lastName: `At turn ${turn}` }, token));
        return;
      case 'move':
        await measured(work, () =>
          requested(url, 'PUT', `${path}/stage`, { stage: `Stage ${1 + (turn % 8)}` }, token),
        );
        return;
      case 'text in': {
        const From = `+1303555${String(100 + (turn % 100)).padStart(4, '0')}`;
        const MessageSid = `SM${randomUUID().replaceAll('-', '')}`;
        const text = { MessageSid, From, To: ownNumber, Body: `Turn ${turn}`, NumMedia: '0' };
        await measured(work, () => requested(url, 'POST', '/api/webhook/twilio/sms', text));
        return;
      }
      case 'log in': {
        const credentials = { email: adminEmail, password: usualPassword };
        const answer = await measured(work, () => requested(url, 'POST', '/api/auth/login', credentials));
        token = answer.token ?? token;
        return;
      }
      case 'bare server':
        await measured(work, () => requested(bareUrl, 'POST', '/', {}));
    }
  }

  for (let turn = 0; turn < 3 * second.length; turn += 1) {
    await run(turn === 0 ? 'create' : (second[turn % second.length] ?? 'board'), turn);
  }
  samples.length = 0;
  start = performance.now();
  for (let turn = 0; performance.now() - start < minutes * 60_000; turn += 1) {
    const work = second[turn % second.length] ?? 'board';
    const isLogin = performance.now() > loginAt;
    if (isLogin) {
      loginAt += loginMilliseconds;
    }
    for (const what of [isLogin ? 'log in' : work, 'bare server'] as const) {
      const one = run(what, turn).finally(() => pending.delete(one));
      pending.add(one);
    }
    await sleep(Math.max(0, start + (turn + 1) * tenth - performance.now()));
  }
  await Promise.all(pending);
  return samples;
}

async function requested(
  url: string,
  method: string,
  path: string,
  body: unknown,
  token?: string,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}
