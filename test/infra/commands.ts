import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startServer } from '../../infra/local/listening.ts';
import { projectRoot } from '../../infra/project.ts';

/** A home without AWS profiles. */
export const newHome = () => mkdtemp(join(tmpdir(), 'switchboard-home-'));

/** Access keys, and a region. */
export const keys = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };
export const region = { AWS_REGION: 'eu-central-1' };

/** Added to the environment, it takes the place of `cdk`: says what that was called with, and ends. */
export const insteadOfCdk = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    "if (process.argv[2] === 'cdk') { console.log(process.argv.slice(2).join(' ')); process.exit(); }",
  )}`,
};

/** What a program of the npm scripts prints in this environment, and its exit code. */
export async function run(file: string, environment: Record<string, string>, args: readonly string[] = []) {
  const child = spawn(process.execPath, [join(projectRoot, 'infra/launch.mjs'), file, ...args], {
    cwd: projectRoot,
    env: { PATH: process.env.PATH, AWS_EC2_METADATA_DISABLED: 'true', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { stdout, stderr, code };
}

/** Lets a server answer in place of an AWS service. */
export async function withService<T>(
  answer: RequestListener,
  use: (endpoint: string) => Promise<T>,
): Promise<T> {
  const server = await startServer(createServer(answer), 0);
  try {
    return await use(server.endpoint);
  } finally {
    await server.stop();
  }
}

const xmlns = 'https://sts.amazonaws.com/doc/2011-06-15/';

/** What the service answers that knows whose credentials are used: those of the account 123456789012. */
export const identity = {
  status: 200,
  body: `<GetCallerIdentityResponse xmlns="${xmlns}"><GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`,
};

/** What it answers to credentials that have expired. */
export const expired = {
  status: 403,
  body: `<ErrorResponse xmlns="${xmlns}"><Error><Type>Sender</Type><Code>ExpiredToken</Code><Message>The security token included in the request is expired</Message></Error></ErrorResponse>`,
};

/** Lets a server answer in place of that service. Hands on the `authorization` of each request, too. */
export function withIdentityService<T>(
  { status, body }: { status: number; body: string },
  use: (endpoint: string, signers: string[]) => Promise<T>,
): Promise<T> {
  const signers: string[] = [];
  return withService(
    ({ headers }, response) => {
      signers.push(String(headers.authorization));
      response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
    },
    (endpoint) => use(endpoint, signers),
  );
}
