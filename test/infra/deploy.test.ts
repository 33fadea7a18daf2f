import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noMail, settingsIn, unknownStage } from '../../infra/deploy.ts';
import { assembly } from '../harness/assembly.ts';
import { bootstrappedAccount } from './bootstrapped-account.ts';
import {
  identity,
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

/** What `npm run deploy` prints with this environment, and its exit code. */
const deploy = (environment: Record<string, string>, args: string[] = []) =>
  run('infra/deploy.ts', { HOME: home, ...insteadOfCdk, ...environment }, args);

test('Deploying says account, region and stage before it changes anything, and bootstraps nothing', async () => {
  const { stdout, code } = await withIdentityService(identity, (endpoint) =>
    deploy({ ...keys, ...region, AWS_ENDPOINT_URL_STS: endpoint }, ['-c', 'stage=production']),
  );
  const [first, ...others] = stdout.trimEnd().split('\n');
  expect(first).toBe('Deploying the stage production to the account 123456789012 in eu-central-1.');
  expect(others.filter((line) => line.startsWith('cdk '))).toEqual([
    'cdk deploy --all --require-approval never -c stage=production',
  ]);
  expect(code).toBe(0);
});

test.each([
  [['--require-approval', 'any-change'], 'cdk deploy --all --require-approval any-change'],
  [['--require-approval=broadening'], 'cdk deploy --all --require-approval=broadening'],
  [['--requireApproval', 'any-change'], 'cdk deploy --all --requireApproval any-change'],
])('Deploying with %j asks as it says: cdk takes the option once', async (args, command) => {
  const { stdout } = await withIdentityService(identity, (endpoint) =>
    deploy({ ...keys, ...region, AWS_ENDPOINT_URL_STS: endpoint }, args),
  );
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(command);
});

test('Deploying with the real cdk creates the stack that must remain before the other, protects it, and asks nobody before it goes on', async () => {
  const { answer, changes } = bootstrappedAccount();
  const args = ['--app', await assembly()];
  const { stdout, stderr, code } = await withService(answer, (endpoint) =>
    run('infra/deploy.ts', { HOME: home, ...keys, ...region, AWS_ENDPOINT_URL: endpoint }, args),
  );
  expect(stdout).toMatch(/^Deploying the stage dev to the account 123456789012 in eu-central-1\.\n/);
  // It ignores options that it does not know.
  expect(`${stdout}${stderr}`).not.toMatch(/unknown option/i);
  const stack = { StackName: 'SwitchboardData-dev' };
  expect(changes).toMatchObject([
    { Action: 'CreateChangeSet', ChangeSetType: 'CREATE', 'Tags.member.2.Value': 'dev', ...stack },
    { Action: 'UpdateTerminationProtection', EnableTerminationProtection: 'true', ...stack },
    { Action: 'UpdateTerminationProtection', EnableTerminationProtection: 'true', ...stack },
    { Action: 'ExecuteChangeSet', ...stack },
  ]);
  expect(stderr).toContain('You are not authorized to perform ExecuteChangeSet');
  expect(code).toBe(1);
});

test.each([
  [[], noMail],
  [['-c', 'mailFrom=crm@example.com'], undefined],
])('Deploying with %j says whether no email will be sent, and what to do', async (args, sentence) => {
  const { stdout } = await withIdentityService(identity, (endpoint) =>
    deploy({ ...keys, ...region, AWS_ENDPOINT_URL_STS: endpoint }, args),
  );
  expect(stdout.split('\n').find((line) => /mailFrom\b(?!=)/.test(line))).toBe(sentence);
});

describe('Deploying with profiles', () => {
  /** Another home, with these profiles. */
  const profiles = join(home, 'profiles');
  beforeAll(async () => {
    await mkdir(join(profiles, '.aws'), { recursive: true });
    const stated = {
      slow: [
        'region = eu-north-1',
        `credential_process = sleep 1 && echo '{"Version": 1, "AccessKeyId": "AKIDSLOW", "SecretAccessKey": "secret"}'`,
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
  ])(
    'Deploying takes the credentials of %s, however slow they are',
    async (_what, environment, args, keyId) => {
      const { stdout } = await withIdentityService(identity, (endpoint, signers) =>
        deploy({ HOME: profiles, AWS_ENDPOINT_URL_STS: endpoint, ...environment }, args).finally(() =>
          expect(signers).toEqual([expect.stringContaining(`Credential=${keyId}/`)]),
        ),
      );
      expect(stdout.split('\n')[0]).toBe(
        'Deploying the stage dev to the account 123456789012 in eu-north-1.',
      );
    },
  );

  test.each([
    ['does not exist', 'nope', /^Could not resolve credentials using profile: \[nope\]/],
    ['must log in again', 'sso', /SSO session .*'aws sso login'/],
    ['has a program that fails', 'broken', /the vault is locked/],
  ])(
    'Deploying with a profile that %s says in one line what its source says of it',
    async (_what, name, reason) => {
      for (const [environment, args] of [
        [{}, ['--profile', name]],
        [{ AWS_PROFILE: name }, []],
      ] as const) {
        const { stdout, stderr, code } = await deploy({ HOME: profiles, ...region, ...environment }, [
          ...args,
        ]);
        expect([stdout, code]).toEqual(['', 1]);
        const [, said] = /^There are no AWS credentials: ([^\n]+)\n$/.exec(stderr) ?? [];
        expect(said).toMatch(reason);
      }
    },
  );

  test('Deploying leaves it to the deployment itself to ask for a code that a profile demands', async () => {
    const { stdout } = await deploy({ HOME: profiles }, ['--profile', 'role']);
    expect(stdout.split('\n')[0]).toBe(
      'Deploying the stage dev in eu-north-1, to the account of a profile that asks for a code.',
    );
  });
});

test('Deploying with a setting that does not exist or makes no sense says so in one line', async () => {
  expect(await deploy({}, ['-c', 'stagee=production'])).toEqual({
    stdout: '',
    stderr: expect.stringMatching(
      /^There is no setting "stagee"\. The settings are stage, documentation, [^\n]+\.\n$/,
    ),
    code: 1,
  });
});

test.each([
  [['httpDomain=api.example.com', 'certificate=arn:aws:acm:us-east-1:123456789012:certificate/7c4b']],
  [['restoredTable=arn:aws:dynamodb:us-east-1:123456789012:table/restored/stream/2026-11-22T10:00:00.000']],
])('Deploying with something of another region, %j, says so before it begins', async (stated) => {
  expect(
    await deploy(
      { ...keys, ...region },
      stated.flatMap((one) => ['-c', one]),
    ),
  ).toEqual({
    stdout: '',
    stderr: expect.stringMatching(
      /^(certificate|restoredTable) is in us-east-1, but the deployment goes to eu-central-1: [^\n]*\n$/,
    ),
    code: 1,
  });
});

test('Deploying to a stage that has no settings says which have some: its name may be misspelt', () => {
  const stages = { staging: {}, production: { budget: 200 } };
  expect(unknownStage('prodution', { stages })).toBe(
    'cdk.json has no settings for the stage prodution, only for: staging, production.',
  );
  expect(unknownStage('production', { stages })).toBeUndefined();
  expect(unknownStage('dev', {})).toBeUndefined();
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
