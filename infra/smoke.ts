// `npm run smoke -- <url> [<socket url>]`: checks in a few seconds whether a deployment works. It needs no user, and stores nothing
// lasting.

import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import { isProgram } from './project.ts';

/** A request, and the statuses that prove that everything behind it works. */
interface Check {
  readonly request: string;
  readonly shows: string;
  readonly expected: readonly number[];
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

export interface Finding {
  readonly request: string;
  readonly shows: string;
  /** Says what is wrong; undefined for a check that passes. */
  readonly problem: string | undefined;
  /** Why the check was skipped. */
  readonly skippedBecause?: string;
}

const forged = { authorization: 'Bearer forged' };

const checks = (): Check[] => [
  { request: 'GET /api/health', shows: 'a function runs', expected: [200] },
  { request: 'GET /api/pipelines', shows: 'the gateway asks for a token', expected: [401] },
  {
    request: 'GET /api/pipelines',
    shows: 'the authorizer refuses a forged token',
    expected: [401],
    headers: forged,
  },
  {
    request: 'GET /api/auth/verify-token',
    shows: 'verifiers have the public keys',
    expected: [401],
    headers: forged,
  },
  {
    request: 'POST /api/auth/login',
    shows: 'a login reads the table and compares a password',
    expected: [401],
    body: { email: `smoke-${randomUUID()}@example.com`, password: randomUUID() },
  },
  {
    request: 'GET /api/docs',
    shows: 'the documentation is there, or is switched off',
    expected: [200, 404],
  },
];

/** How many milliseconds a request may take: after a deployment every function has a cold start. */
const timeout = 15_000;

/** Runs all checks of the deployment at `url`, one after the other. If `socketUrl` is absent, it is read from the documentation. */
export async function runSmokeChecks(url: string, socketUrl?: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { request, shows, expected, headers, body } of checks()) {
    const [method = '', path = ''] = request.split(' ');
    const problem = await problemOf(expected, async () => {
      const response = await fetch(new URL(path, url), {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeout),
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      await response.arrayBuffer();
      return response.status;
    });
    findings.push({ request, shows, problem });
  }
  return [...findings, await socketFinding(url, socketUrl)];
}

/** The WebSocket API refuses a handshake without a token. */
async function socketFinding(url: string, stated: string | undefined): Promise<Finding> {
  const shows = 'the WebSocket API refuses a handshake without a token';
  const request = 'handshake';
  try {
    const address = stated ?? (await describedAddress(url));
    if (address === undefined) {
      const skippedBecause =
        'without the documentation, its address is unknown; pass the output SocketUrl as a second argument';
      return { request, shows, problem: undefined, skippedBecause };
    }
    const problem = await problemOf([401], () => handshake(address));
    return { request: `${request} ${address}`, shows, problem };
  } catch (error) {
    return { request, shows, problem: reasonOf(error) };
  }
}

/** The URL of the WebSocket API in the AsyncAPI document; undefined when the deployment has no documentation. */
async function describedAddress(url: string): Promise<string | undefined> {
  const response = await fetch(new URL('/api/asyncapi.json', url), { signal: AbortSignal.timeout(timeout) });
  if (response.status === 404) {
    await response.arrayBuffer();
    return undefined;
  }
  const { servers, channels } = await response.json();
  return `${servers.live.protocol}://${servers.live.host}${channels.live.address}`;
}

async function problemOf(
  expected: readonly number[],
  ask: () => Promise<number>,
): Promise<string | undefined> {
  try {
    const status = await ask();
    return expected.includes(status) ? undefined : `returned ${status}, not ${expected.join(' or ')}`;
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

/** The status of the response to a WebSocket handshake. */
function handshake(address: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const socket = new WebSocket(address, { handshakeTimeout: timeout });
  socket.on('error', reject);
  socket.on('unexpected-response', (_, { statusCode = 0 }) => {
    resolve(statusCode);
    socket.terminate();
  });
  socket.on('open', () => {
    resolve(101);
    socket.terminate();
  });
  return promise;
}

/** The printed line of a finding. */
export function findingLine({ request, shows, problem, skippedBecause }: Finding): string {
  if (problem !== undefined) {
    return `WRONG     ${request}: ${problem}; ${shows}`;
  }
  return skippedBecause === undefined
    ? `ok        ${request}: ${shows}`
    : `left out  ${request}: ${skippedBecause}; ${shows}`;
}

/** Whether the text is an address of this protocol, with or without TLS. */
function isAddress(protocol: 'http' | 'ws', text: string): boolean {
  return URL.canParse(text) && new RegExp(`^${protocol}s?:$`).test(new URL(text).protocol);
}

if (isProgram(import.meta)) {
  const [url, socketUrl] = process.argv.slice(2);
  if (url === undefined || !isAddress('http', url) || (socketUrl && !isAddress('ws', socketUrl))) {
    console.error(
      'Usage: npm run smoke -- <the output HttpUrl of the deployment> [<its output SocketUrl>]: https://… [wss://…]',
    );
    process.exit(1);
  }
  const findings = await runSmokeChecks(url, socketUrl);
  for (const finding of findings) {
    console.log(findingLine(finding));
  }
  process.exitCode = findings.every(({ problem }) => problem === undefined) ? 0 : 1;
}
