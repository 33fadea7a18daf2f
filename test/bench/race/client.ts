// A process of its own that sends requests, so that it takes nothing of the processor time that is measured. Its parent tells it
// what to send, and gets what it saw.
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'undici';
import { type RequestKind, Requests, type Sent, type Subject } from './requests.ts';
import type { Samples } from './statistics.ts';

/** What the client is told. */
export interface Drive {
  readonly url: string;
  readonly kind: RequestKind;
  /** Each sends its next request when it has the response. */
  readonly connections: number;
  readonly seconds: number;
  /** Requests to send in all; as many as the seconds allow when absent. */
  readonly most?: number;
  /** What every response must hold, beside its status. */
  readonly containing?: string;
  /** Sent beside at an even pace, on connections of their own. */
  readonly beside?: readonly { readonly kind: RequestKind; readonly perSecond: number }[];
}

export interface Driven extends Samples {
  /** Milliseconds of processor time of the client itself. */
  readonly clientCpu: number;
  /** Of requests that were sent beside. */
  readonly beside: Omit<Samples, 'elapsed'>;
  /** The first response that was not as expected. */
  readonly complaint?: string;
}

/** The first message says what requests are about: one subject for each who races. */
export type Told =
  | { readonly subjects: Readonly<Record<string, Subject>> }
  | ({ readonly to: string } & Drive);

const racing = new Map<string, { subject: Subject; requests: Requests }>();

process.on('message', (told: Told) => {
  if ('subjects' in told) {
    for (const [name, subject] of Object.entries(told.subjects)) {
      racing.set(name, { subject, requests: new Requests(subject) });
    }
    return;
  }
  drive(told.to, told).then(
    (driven) => process.send?.(driven),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());

class Tally {
  readonly containing: string;
  readonly times: number[] = [];
  failures = 0;
  complaint: string | undefined;

  constructor(containing = '') {
    this.containing = containing;
  }
}

async function drive(
  to: string,
  { url, kind, connections, seconds, most, containing, beside = [] }: Drive,
): Promise<Driven> {
  const { subject, requests } = racing.get(to) ?? {};
  if (subject === undefined || requests === undefined) {
    throw new Error(`Nobody has said what requests to ${to} are about.`);
  }
  const clients: Client[] = [];
  const connect = () => {
    const client = new Client(url, { pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
    clients.push(client);
    return client;
  };
  const [main, aside] = [new Tally(containing), new Tally()];
  const cpu = process.cpuUsage();
  const start = performance.now();
  const end = start + seconds * 1_000;
  const next = requests.sequence(kind);
  let left = most ?? Number.POSITIVE_INFINITY;
  const loops = Array.from({ length: connections }, async (_, connection) => {
    const client = connect();
    while (performance.now() < end && left > 0) {
      left -= 1;
      await send(client, next(connection), subject.token, main);
    }
  });
  const paced = beside.map(({ kind: other, perSecond }) =>
    sendEvenly(connect, requests.sequence(other), { perSecond, end, token: subject.token, tally: aside }),
  );
  await Promise.all(loops);
  const elapsed = performance.now() - start;
  await Promise.all(paced);
  const { user, system } = process.cpuUsage(cpu);
  await Promise.all(clients.map((client) => client.close()));
  const complaint = main.complaint ?? aside.complaint;
  return {
    times: main.times,
    failures: main.failures,
    elapsed,
    clientCpu: (user + system) / 1_000,
    beside: { times: aside.times, failures: aside.failures },
    ...(complaint === undefined ? {} : { complaint }),
  };
}

async function send(client: Client, sent: Sent, token: string, tally: Tally): Promise<void> {
  const { method, path, body, isSignedIn, status } = sent;
  const start = performance.now();
  try {
    const response = await client.request({
      method,
      path,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(isSignedIn ? { authorization: `Bearer ${token}` } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    if (response.statusCode === status && text.includes(tally.containing)) {
      tally.times.push(performance.now() - start);
      return;
    }
    tally.complaint ??= `${method} ${path} answered ${response.statusCode}: ${text.slice(0, 300)}`;
  } catch (error) {
    tally.complaint ??= `${method} ${path}: ${error}`;
  }
  tally.failures += 1;
}

/** Sends at the pace, however long responses take: on as many connections as that needs, of which each has one request. */
async function sendEvenly(
  connect: () => Client,
  next: (connection: number) => Sent,
  { perSecond, end, token, tally }: { perSecond: number; end: number; token: string; tally: Tally },
): Promise<void> {
  const idle: Client[] = [];
  const underWay = new Set<Promise<void>>();
  for (let due = performance.now(); due < end; due += 1_000 / perSecond) {
    await pause(Math.max(0, due - performance.now()));
    const client = idle.pop() ?? connect();
    const sending: Promise<void> = send(client, next(0), token, tally).then(() => {
      idle.push(client);
      underWay.delete(sending);
    });
    underWay.add(sending);
  }
  await Promise.all(underWay);
}
