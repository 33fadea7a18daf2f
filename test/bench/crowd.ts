// Whether the connections of two organizations delay the live events of a third one.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { WebSocket } from 'ws';
import { socketUrl } from '../../infra/local/environment.ts';
import { call, type Session } from './api.ts';
import { budgets, type Verdict } from './budgets.ts';
import { quantile } from './figures.ts';
import { HttpClient } from './http-client.ts';
import { figure } from './table.ts';

/** What the member does with as many connections as a user may have, which read; and the other organization with ones that do not. */
const member = { sockets: 20, edits: 1_000, atOnce: 4 };
const silent = { users: 25, sockets: 20, edits: 100, atOnce: 1 };

/** Events of the third organization. */
const enough = 200;

interface Listener {
  during(work: Promise<unknown>): Promise<readonly number[]>;
}

/** Measures the events of the listener while the two others change a contact each, again and again. */
export async function measureCrowd(
  url: string,
  pid: number,
  [first, second]: readonly [Session, Session],
  listener: Listener,
): Promise<Verdict[]> {
  const [rep, ...users] = await Promise.all([
    colleagueOf(first),
    ...Array.from({ length: silent.users }, () => colleagueOf(second)),
  ]);
  const reading = await connected(rep as Session, member.sockets);
  const mute = (await Promise.all(users.map((user) => connected(user, silent.sockets)))).flat();
  for (const socket of mute) {
    socket.pause();
  }
  const [own, other] = await Promise.all([rep as Session, second].map((session) => newContact(session)));
  const delays: number[] = [];
  while (delays.length < enough) {
    const work = Promise.all([
      edited(rep as Session, String(own), member),
      edited(second, String(other), silent),
    ]);
    delays.push(...(await listener.during(work)));
  }
  const memory = await residentMegabytes(pid);
  for (const socket of [...reading, ...mute]) {
    socket.terminate();
  }
  console.log(`${member.edits} edits by a member with ${member.sockets} sockets, again and again, beside an organization with ${mute.length} sockets that do not read.
Milliseconds until the event of a third organization: p50 ${figure(quantile(delays, 0.5))}, p99 ${figure(quantile(delays, 0.99))}, worst ${figure(quantile(delays, 1))} of ${delays.length}. The host has ${figure(memory)} MB\n`);
  const p99 = quantile(delays, 0.99);
  return [
    {
      promise: `p99 of live events beside the connections of others at most ${figure(budgets.crowd.milliseconds)} ms`,
      measured: `${figure(p99)} ms`,
      kept: p99 <= budgets.crowd.milliseconds,
    },
  ];

  function colleagueOf(admin: Session): Promise<Session> {
    const body = {
      ...{ email: `${randomUUID()}@example.com`, password: 'correct horse battery' },
      ...{ firstName: 'Ada', lastName: 'Lovelace', role: 'SALES_REP' },
      organizationId: admin.user.organizationId,
    };
    return call<Session>(url, { method: 'POST', path: '/api/auth/register', body }, admin.token);
  }

  function connected({ socketToken }: Session, count: number): Promise<WebSocket[]> {
    return Promise.all(
      Array.from({ length: count }, async () => {
        const socket = new WebSocket(`${socketUrl(url)}?token=${encodeURIComponent(socketToken)}`);
        socket.on('error', () => undefined);
        await once(socket, 'open');
        return socket;
      }),
    );
  }

  async function newContact({ token }: Session): Promise<string> {
    const request = { method: 'POST', path: '/api/contacts/create', body: { firstName: 'Grace' } };
    return (await call<{ data: { _id: string } }>(url, request, token)).data._id;
  }

  async function edited(
    { token }: Session,
    contactId: string,
    { edits, atOnce }: { edits: number; atOnce: number },
  ): Promise<void> {
    let left = edits;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        const client = new HttpClient(url);
        while (left > 0) {
          left -= 1;
          const body = { firstName: `Grace ${left}` };
          await client.ask({ method: 'PUT', path: `/api/contacts/${contactId}`, token, body });
        }
        client.close();
      }),
    );
  }
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}
