import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bootstrappedAccount } from './bootstrapped-account.ts';
import {
  expired,
  insteadOfCdk,
  keys,
  newHome,
  region,
  run,
  withIdentityService,
  withService,
} from './commands.ts';

const home = await newHome();
afterAll(() => rm(home, { recursive: true, force: true }));

/** Variables that a command needs beside credentials and a region. */
const given = { HOME: home, TABLE_NAME: 'crm' };
const allowed = { ...given, ...keys, ...region };

/** A mistake is one line, and the command fails. */
const saying = (stderr: string | RegExp) => ({
  stdout: '',
  stderr: typeof stderr === 'string' ? `${stderr}\n` : expect.stringMatching(stderr),
  code: 1,
});

const commands: [name: string, purpose: string, args: string[]][] = [
  ['deploy', 'deploy', []],
  ['bootstrap', 'bootstrap', []],
  ['redrive', 'redrive', []],
  ['grant-superadmin', 'make a SUPERADMIN', ['you@example.com']],
];

test.each(commands)(
  '%s without credentials or without a region says in one line what to set',
  async (name, purpose, args) => {
    const credentials = 'AWS credentials (AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)';
    const program = `infra/${name}.ts`;
    const [neither, noCredentials, noRegion] = await Promise.all([
      run(program, given, args),
      run(program, { ...given, ...region }, args),
      run(program, { ...given, ...keys }, args),
    ]);
    expect(neither).toEqual(saying(`To ${purpose}, set ${credentials} and a region (AWS_REGION).`));
    expect(noCredentials).toEqual(saying(`To ${purpose}, set ${credentials}.`));
    expect(noRegion).toEqual(saying(`To ${purpose}, set a region (AWS_REGION).`));
  },
);

test('bootstrap on a machine where nobody answers who asks for its own credentials does not wait for them, and says what to set', async () => {
  let requests = 0;
  const silent: RequestListener = () => {
    requests += 1;
  };
  const result = await withService(silent, (endpoint) =>
    run('infra/bootstrap.ts', {
      ...given,
      ...region,
      AWS_EC2_METADATA_DISABLED: 'false',
      AWS_EC2_METADATA_SERVICE_ENDPOINT: endpoint,
    }),
  );
  expect(result).toEqual(
    saying(
      'To bootstrap, set AWS credentials (AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY).',
    ),
  );
  // The SDK would ask again after a second.
  expect(requests).toBe(1);
});

test('bootstrap says account and region before it changes anything, and does not build the product', async () => {
  const { answer, changes } = bootstrappedAccount();
  const { stdout } = await withService(answer, (endpoint) =>
    run('infra/bootstrap.ts', { ...allowed, AWS_ENDPOINT_URL: endpoint }, [
      '--output',
      join(home, 'assembly'),
    ]),
  );
  expect(stdout.split('\n')[0]).toBe('Bootstrapping eu-central-1 in the account 123456789012.');
  expect(changes[0]).toMatchObject({ Action: 'CreateChangeSet', StackName: 'CDKToolkit' });
  expect(existsSync(join(home, 'assembly'))).toBe(false);
});

test.each(['bootstrap', 'deploy'])(
  '%s with credentials that AWS refuses says so in one line',
  async (name) => {
    const result = await withIdentityService(expired, (endpoint) =>
      run(`infra/${name}.ts`, { ...allowed, ...insteadOfCdk, AWS_ENDPOINT_URL_STS: endpoint }),
    );
    expect(result).toEqual(
      saying(/^AWS did not say whose credentials these are: ExpiredToken\w*: The security token [^\n]*\n$/),
    );
  },
);

/** Answers a request with an error of the service. */
const refusing =
  (status: number, type: string, message: string): RequestListener =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type })
      .end(JSON.stringify({ __type: type, message, Message: message }));

const redrive = (answer: RequestListener, environment = {}) =>
  withService(answer, (endpoint) =>
    run('infra/redrive.ts', { ...allowed, AWS_ENDPOINT_URL_LAMBDA: endpoint, ...environment }),
  );

test('redrive with credentials that AWS refuses says so in one line', async () => {
  const message = 'The security token included in the request is expired';
  expect(await redrive(refusing(403, 'ExpiredTokenException', message))).toEqual(saying(message));
});

test('redrive of a stage that is not there names it, and what may be wrong', async () => {
  const nothing: RequestListener = (_, response) => response.end(JSON.stringify({ EventSourceMappings: [] }));
  expect(await redrive(nothing, { STAGE: 'prodution' })).toEqual(
    saying(/^There is no stack Switchboard-prodution here: [^\n]* STAGE=[^\n]* AWS_REGION=[^\n]*\n$/),
  );
});

test('redrive goes to AWS_DEFAULT_REGION where AWS_REGION is empty', async () => {
  const nothing: RequestListener = (_, response) => response.end(JSON.stringify({ EventSourceMappings: [] }));
  expect(await redrive(nothing, { AWS_REGION: '', AWS_DEFAULT_REGION: 'eu-central-1' })).toEqual(
    saying(/^There is no stack Switchboard-dev here/),
  );
});

const grant = (answer: RequestListener, email: string) =>
  withService(answer, (endpoint) =>
    run('infra/grant-superadmin.ts', { ...allowed, AWS_ENDPOINT_URL_DYNAMODB: endpoint }, [email]),
  );

test('grant-superadmin on a table that is not there says where to look', async () => {
  const missing = refusing(400, 'ResourceNotFoundException', 'Requested resource not found');
  expect(await grant(missing, 'you@example.com')).toEqual(
    saying('There is no table crm here. Take the output TableName of the deployment, and its region.'),
  );
});

test('grant-superadmin for an address that nobody has, or that is none, says so in one line', async () => {
  const nobody: RequestListener = (_, response) => response.end('{}');
  expect(await grant(nobody, 'you@example.com')).toEqual(
    saying('Nobody has registered with you@example.com. Register first.'),
  );
  expect(await grant(nobody, 'you')).toEqual(saying('you is not an email address.'));
});

test('grant-superadmin with credentials that AWS refuses says so in one line', async () => {
  const message = 'The security token included in the request is invalid.';
  expect(await grant(refusing(400, 'UnrecognizedClientException', message), 'you@example.com')).toEqual(
    saying(message),
  );
});

test.each([
  [[]],
  [['localhost:3000']],
  [['api.example.com']],
  [['https://api.example.com', 'live.example.com']],
])('smoke with the arguments %j says what it takes', async (args) => {
  expect(await run('infra/smoke.ts', given, args)).toEqual(
    saying(/^Usage: npm run smoke -- [^\n]*https:[^\n]*\n$/),
  );
});
