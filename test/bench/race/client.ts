// Sends requests, in a process of its own, whose processor time is not in that of the server. The parent process sends it what to do, and
// receives the results.
import { type ExpectedRequest, type Load, type Loaded, load } from '../http-load.ts';
import { type RequestKind, Requests, type Subject } from './requests.ts';

/** The instructions of the client. */
export interface Drive extends Pick<Load, 'connections' | 'seconds' | 'most' | 'containing'> {
  readonly url: string;
  readonly kind: RequestKind;
  /** Sent meanwhile at a steady rate, on other connections. */
  readonly beside?: readonly { readonly kind: RequestKind; readonly perSecond: number }[];
}

export interface Driven extends Loaded {
  /** Milliseconds of processor time of the client itself. */
  readonly clientCpu: number;
}

/** The first message has the data of requests for each contestant. */
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

async function drive(to: string, { url, kind, beside = [], ...wanted }: Drive): Promise<Driven> {
  const { subject, requests } = racing.get(to) ?? {};
  if (subject === undefined || requests === undefined) {
    throw new Error(`Nobody has said what requests to ${to} are about.`);
  }
  const requestOf = (of: RequestKind, connection: number): ExpectedRequest => {
    const { isSignedIn, ...sent } = requests.sequence(of)(connection);
    const token = subject.tokens[connection % subject.tokens.length];
    return isSignedIn && token !== undefined ? { ...sent, token } : sent;
  };
  const cpu = process.cpuUsage();
  const loaded = await load(url, {
    ...wanted,
    next: (connection) => requestOf(kind, connection),
    beside: beside.map((other) => ({ ...other, next: () => requestOf(other.kind, 0) })),
  });
  const { user, system } = process.cpuUsage(cpu);
  return { ...loaded, clientCpu: (user + system) / 1_000 };
}
