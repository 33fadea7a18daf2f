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

/** Added to the environment, it replaces `cdk`: prints the arguments of the call, and ends. */
export const insteadOfCdk = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    "if (process.argv[2] === 'cdk') { console.log(process.argv.slice(2).join(' ')); process.exit(); }",
  )}`,
};

/** So that `cdk` asks nobody but AWS: it would load notices, and tell of its use. */
const alone = { CDK_NOTICES: 'false', CDK_DISABLE_CLI_TELEMETRY: 'true' };

/** Runs a program of the npm scripts in this environment. Resolves with its output and its exit code. */
export async function run(file: string, environment: Record<string, string>, args: readonly string[] = []) {
  const child = spawn(process.execPath, [join(projectRoot, 'infra/launch.mjs'), file, ...args], {
    cwd: projectRoot,
    env: { PATH: process.env.PATH, AWS_EC2_METADATA_DISABLED: 'true', ...alone, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { stdout, stderr, code };
}

/** Runs a server in place of an AWS service. */
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

/** The response of STS for credentials of the account 123456789012. */
export const identity = {
  status: 200,
  body: `<GetCallerIdentityResponse xmlns="${xmlns}"><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/deployer</Arn><UserId>AIDAEXAMPLE</UserId><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`,
};

/** The response of STS for expired credentials. */
export const expired = {
  status: 403,
  body: `<ErrorResponse xmlns="${xmlns}"><Error><Type>Sender</Type><Code>ExpiredToken</Code><Message>The security token included in the request is expired</Message></Error></ErrorResponse>`,
};

/** Runs a server in place of STS, and also passes on the `authorization` header of each request. */
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
