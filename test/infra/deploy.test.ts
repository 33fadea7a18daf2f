import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noMail, settingsIn } from '../../infra/deploy.ts';
import { projectRoot } from '../../infra/project.ts';

/** A home without AWS profiles. */
const home = await mkdtemp(join(tmpdir(), 'switchboard-deploy-'));
afterAll(() => rm(home, { recursive: true, force: true }));

const keys = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };

/** What `npm run deploy` prints with this environment, and its exit code. */
async function deploy(environment: Record<string, string>, args: string[] = []) {
  const child = spawn(process.execPath, [join(projectRoot, 'infra/launch.mjs'), 'infra/deploy.ts', ...args], {
    cwd: projectRoot,
    env: { PATH: process.env.PATH, HOME: home, AWS_EC2_METADATA_DISABLED: 'true', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, complaint, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { printed, complaint, code };
}

test.each([
  [
    {},
    'AWS credentials (AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY) and a region (AWS_REGION)',
  ],
  [
    { AWS_REGION: 'eu-central-1' },
    'AWS credentials (AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)',
  ],
  [keys, 'a region (AWS_REGION)'],
])('Deploying with no more than %o says in one line what is missing', async (environment, missing) => {
  expect(await deploy(environment)).toEqual({
    printed: '',
    complaint: `To deploy, set ${missing}.\n`,
    code: 1,
  });
});

/** Answers as the service does that knows whose credentials are used. Hands on the `authorization` of each request, too. */
async function withIdentityService<T>(
  answer: { status: number; body: string },
  use: (endpoint: string, signers: string[]) => Promise<T>,
): Promise<T> {
  const signers: string[] = [];
  const server = createServer(({ headers }, response) => {
    signers.push(String(headers.authorization));
    response.writeHead(answer.status, { 'content-type': 'text/xml' }).end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, signers);
  } finally {
    server.close();
  }
}

const xmlns = 'https://sts.amazonaws.com/doc/2011-06-15/';

const identity = {
  status: 200,
  body: `<GetCallerIdentityResponse xmlns="${xmlns}"><GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`,
};
/** Ends the command line that follows before it does anything. */
const noMore = '--help';

test('Deploying says account, region and stage before it changes anything', async () => {
  const { printed } = await withIdentityService(identity, (endpoint) =>
    deploy({ ...keys, AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_STS: endpoint }, [
      '-c',
      'stage=production',
      noMore,
    ]),
  );
  expect(printed.split('\n')[0]).toBe(
    'Deploying the stage production to the account 123456789012 in eu-central-1.',
  );
});

test.each([
  [[], noMail],
  [['-c', 'mailFrom=crm@example.com'], undefined],
])('Deploying with %j says whether no email will be sent, and what to do', async (args, sentence) => {
  const { printed } = await withIdentityService(identity, (endpoint) =>
    deploy({ ...keys, AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_STS: endpoint }, [...args, noMore]),
  );
  expect(printed.split('\n').find((line) => line.includes('mailFrom'))).toBe(sentence);
});

describe('Deploying with profiles', () => {
  /** Another home, with these profiles. */
  const profiles = join(home, 'profiles');
  beforeAll(async () => {
    await mkdir(join(profiles, '.aws'), { recursive: true });
    const stated = {
      slow: [
        'region = eu-north-1',
        `credential_process = sleep 2 && echo '{"Version": 1, "AccessKeyId": "AKIDSLOW", "SecretAccessKey": "secret"}'`,
      ],
      broken: ['region = eu-north-1', 'credential_process = echo the vault is locked >&2 && false'],
      sso: [
        'region = eu-north-1',
        'sso_session = mine',
        'sso_account_id = 123456789012',
        'sso_role_name = Admin',
      ],
      role: [
        'region = eu-north-1',
        'role_arn = arn:aws:iam::123456789012:role/deployer',
        'source_profile = person',
        'mfa_serial = arn:aws:iam::123456789012:mfa/person',
      ],
      person: ['aws_access_key_id = AKIDPERSON', 'aws_secret_access_key = secret'],
    };
    const sections = Object.entries(stated).map(([name, lines]) => [`[profile ${name}]`, ...lines]);
    sections.push(['[sso-session mine]', 'sso_region = eu-north-1', 'sso_start_url = https://sso.example']);
    await writeFile(join(profiles, '.aws/config'), `${sections.flat().join('\n')}\n`);
  });

  test.each([
    ['--profile', {}, ['--profile', 'slow'], 'AKIDSLOW'],
    ['AWS_PROFILE', { AWS_PROFILE: 'slow' }, [], 'AKIDSLOW'],
    ['keys, which go before AWS_PROFILE', { ...keys, AWS_PROFILE: 'slow' }, [], keys.AWS_ACCESS_KEY_ID],
  ])('takes the credentials of %s, however slow they are', async (_what, environment, args, keyId) => {
    const { printed } = await withIdentityService(identity, (endpoint, signers) =>
      deploy({ HOME: profiles, AWS_ENDPOINT_URL_STS: endpoint, ...environment }, [...args, noMore]).finally(
        () => expect(signers).toEqual([expect.stringContaining(`Credential=${keyId}/`)]),
      ),
    );
    expect(printed.split('\n')[0]).toBe('Deploying the stage dev to the account 123456789012 in eu-north-1.');
  });

  test.each([
    ['does not exist', 'nope', /^Could not resolve credentials using profile: \[nope\]/],
    ['must log in again', 'sso', /SSO session .*'aws sso login'/],
    ['has a program that fails', 'broken', /the vault is locked/],
  ])('says in one line what its source says of one that %s', async (_what, name, reason) => {
    for (const [environment, args] of [
      [{}, ['--profile', name]],
      [{ AWS_PROFILE: name }, []],
    ] as const) {
      const region = { AWS_REGION: 'eu-central-1' };
      const { printed, complaint, code } = await deploy({ HOME: profiles, ...region, ...environment }, [
        ...args,
      ]);
      expect([printed, code]).toEqual(['', 1]);
      const [, said] = /^There are no AWS credentials: ([^\n]+)\n$/.exec(complaint) ?? [];
      expect(said).toMatch(reason);
    }
  });

  test('leaves it to the deployment itself to ask for a code that a profile demands', async () => {
    const { printed } = await deploy({ HOME: profiles }, ['--profile', 'role', noMore]);
    expect(printed.split('\n')[0]).toBe(
      'Deploying the stage dev in eu-north-1, to the account of a profile that asks for a code.',
    );
  });
});

test('Deploying with credentials that AWS refuses says so in one line', async () => {
  const body = `<ErrorResponse xmlns="${xmlns}"><Error><Type>Sender</Type><Code>ExpiredToken</Code><Message>The security token included in the request is expired</Message></Error></ErrorResponse>`;
  const { printed, complaint, code } = await withIdentityService({ status: 403, body }, (endpoint) =>
    deploy({ ...keys, AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_STS: endpoint }),
  );
  expect([printed, code]).toEqual(['', 1]);
  expect(complaint).toMatch(
    /^AWS did not say whose credentials these are: ExpiredToken\w*: The security token .* is expired\n$/,
  );
});

test('Deploying with a setting that does not exist or makes no sense says so in one line', async () => {
  expect(await deploy({}, ['-c', 'stagee=production'])).toEqual({
    printed: '',
    complaint: expect.stringMatching(
      /^There is no setting "stagee"\. The settings are stage, documentation, [^\n]+\.\n$/,
    ),
    code: 1,
  });
});

test.each([
  [[], 'dev'],
  [['-c', 'stage=staging'], 'staging'],
  [['--context', 'stage=staging', '--hotswap'], 'staging'],
  [['--context=stage=staging'], 'staging'],
  [['-c', 'documentation=false', '-c', 'stage=production'], 'production'],
])('Deploying with the arguments %j is of the stage %s', (args, stage) => {
  expect(settingsIn(args).stage).toBe(stage);
});

test.each(['stage=Production', 'stage=', 'stage=my-stage', 'documentation=no'])(
  'Deploying with %s is refused',
  (setting) => {
    expect(() => settingsIn(['-c', setting])).toThrow(/^\w+=.* (is not a valid stage|is not valid)/);
  },
);
