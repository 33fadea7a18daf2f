import { randomUUID } from 'node:crypto';
import { usualPassword } from '../../infra/seed/seed.ts';
import { adminEmail, loggedIn } from './api.ts';
import { HttpClient, type HttpRequest } from './http-client.ts';
import { evenly } from './http-load.ts';

/** One response. */
export interface Sample {
  readonly work: Work;
  /** 0 if there was none. */
  readonly status: number;
  readonly ms: number;
  /** Seconds since the load began. */
  readonly second: number;
}

/** The last one goes to a bare server, with every request to the host. */
export const works = ['board', 'create', 'update', 'move', 'text in', 'log in', 'bare server'] as const;
export type Work = (typeof works)[number];

/** The requests of each second, at a steady rate, whether or not earlier ones have a response. */
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
const loginMilliseconds = 5 * 60_000;
/** The most contacts that are changed: the newest of those that were created here. */
const maxContacts = 500;
/** A number of the demo data that receives texts without a signature. */
const ownNumber = '+12025550142';

/** Works as a small team does for the given minutes. The first seconds, in which functions start, are left out. */
export async function load(url: string, bareUrl: string, minutes: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  const contacts: string[] = [];
  const host = new HttpClient(url);
  const bare = new HttpClient(bareUrl);
  let start = performance.now();
  let token = (await loggedIn(url)).token;
  let loginAt = start + loginMilliseconds;

  async function measured(work: Work, request: HttpRequest) {
    const began = performance.now();
    const { status, body } = await answerOf(work === 'bare server' ? bare : host, request);
    const ended = performance.now();
    samples.push({ work, status, ms: ended - began, second: (began - start) / 1_000 });
    if (status === 0 || status >= 500 || ended - began > 500) {
      const at = ((began - start) / 1_000).toFixed(1);
      console.log(
        `  ${at} s  ${work}  ${status}  ${(ended - began).toFixed()} ms  ${status < 300 ? '' : JSON.stringify(body)}`,
      );
    }
    return body as Partial<Answer>;
  }

  async function run(work: Work, turn: number): Promise<void> {
    const contact = contacts[Math.floor(Math.random() * contacts.length)];
    const path = `/api/contacts/${contact}`;
    switch (work) {
      case 'board':
        await measured(work, { method: 'POST', path: '/api/contacts', body: {}, token });
        return;
      case 'create': {
        const body = { firstName: 'Ada', lastName: `Of turn ${turn}` };
        const request = { method: 'POST', path: '/api/contacts/create', body, token };
        const { data } = await measured(work, request);
        if (data?._id !== undefined) {
          contacts.push(data._id);
          contacts.splice(0, contacts.length - maxContacts);
        }
        return;
      }
      case 'update':
        await measured(work, { method: 'PUT', path, body: { lastName: `At turn ${turn}` }, token });
        return;
      case 'move': {
        const body = { stage: `Stage ${1 + (turn % 8)}` };
        await measured(work, { method: 'PUT', path: `${path}/stage`, body, token });
        return;
      }
      case 'text in': {
        const From = `+1303555${String(100 + (turn % 100)).padStart(4, '0')}`;
        const MessageSid = `SM${randomUUID().replaceAll('-', '')}`;
        const body = { MessageSid, From, To: ownNumber, Body: `RoundRobinMove ${turn}`, NumMedia: '0' };
        await measured(work, { method: 'POST', path: '/api/webhook/twilio/sms', body });
        return;
      }
      case 'log in': {
        const body = { email: adminEmail, password: usualPassword };
        const answer = await measured(work, { method: 'POST', path: '/api/auth/login', body });
        token = answer.token ?? token;
        return;
      }
      case 'bare server':
        await measured(work, { method: 'POST', path: '/', body: {} });
    }
  }

  for (let turn = 0; turn < 3 * second.length; turn += 1) {
    await run(turn === 0 ? 'create' : (second[turn % second.length] ?? 'board'), turn);
  }
  samples.length = 0;
  start = performance.now();
  await evenly(second.length, minutes * 60, async (turn) => {
    const isLogin = performance.now() > loginAt;
    if (isLogin) {
      loginAt += loginMilliseconds;
    }
    const work = isLogin ? 'log in' : (second[turn % second.length] ?? 'board');
    await Promise.all([run(work, turn), run('bare server', turn)]);
  });
  host.close();
  bare.close();
  return samples;
}

interface Answer {
  readonly token: string;
  readonly data: { readonly _id?: string };
}

/** The response; status 0 with the reason if there is none. */
async function answerOf(
  client: HttpClient,
  request: HttpRequest,
): Promise<{ status: number; body: unknown }> {
  try {
    const answer = await client.ask(request);
    return { status: answer.status, body: JSON.parse(answer.body.toString()) };
  } catch (error) {
    return { status: 0, body: String(error) };
  }
}
