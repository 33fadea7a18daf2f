import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startSecrets } from '../../infra/local/secrets.ts';
import { after as later, minute } from '../../shared/kernel/time.ts';
import {
  type TwilioCredentialStore,
  twilioCredentials,
} from '../../shared/ports/twilio/twilio-credentials.ts';

const arn = 'arn:aws:secretsmanager:eu-central-1:000000000000:secret:sms-AbCdEf';
const now = new Date('2026-11-20T12:00:00Z');
const accountSid = `AC${'a1'.repeat(16)}`;
const apiKeySid = `SK${'b2'.repeat(16)}`;
const messagingServiceSid = `MG${'c3'.repeat(16)}`;

let secrets: Awaited<ReturnType<typeof startSecrets>>;
let client: SecretsManagerClient;
let store: TwilioCredentialStore;
let lines: Record<string, unknown>[];

beforeEach(async () => {
  secrets = await startSecrets({
    arns: [arn],
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', secrets.endpoint);
  vi.stubEnv('AWS_REGION', 'local');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  client = new SecretsManagerClient({});
  lines = [];
  store = twilioCredentials({ SMS_SECRET_ARN: arn }, (line) => lines.push(line));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  client.destroy();
  await secrets.stop();
});

async function put(value: unknown): Promise<void> {
  const SecretString = typeof value === 'string' ? value : JSON.stringify(value);
  await client.send(new PutSecretValueCommand({ SecretId: arn, SecretString }));
}

test('Credentials may be the account and its token', async () => {
  await put({ accountSid, authToken: 'token', from: '+15550199' });
  expect(await store.current(now)).toEqual({
    accountSid,
    user: accountSid,
    password: 'token',
    from: '+15550199',
    messagingServiceSid: undefined,
  });
});

test('Credentials may be an API key of the account, which then takes the place of the token', async () => {
  await put({ accountSid, authToken: 'token', apiKeySid, apiKeySecret: 'key secret', messagingServiceSid });
  expect(await store.current(now)).toEqual({
    accountSid,
    user: apiKeySid,
    password: 'key secret',
    from: undefined,
    messagingServiceSid,
  });
  expect(lines).toEqual([]);
});

test('Credentials are there as soon as somebody stores them', async () => {
  expect(await store.current(now)).toBeUndefined();
  await put({ accountSid, authToken: 'token' });
  expect((await store.current(now))?.password).toBe('token');
});

test('Credentials are used for five minutes, then read again', async () => {
  await put({ accountSid, authToken: 'old' });
  expect((await store.current(now))?.password).toBe('old');
  await put({ accountSid, authToken: 'new' });
  expect((await store.current(later(now, 5 * minute - 1)))?.password).toBe('old');
  expect((await store.current(later(now, 5 * minute)))?.password).toBe('new');
});

test('Credentials that Twilio did not accept are read again at once', async () => {
  await put({ accountSid, authToken: 'old' });
  await store.current(now);
  await put({ accountSid, authToken: 'new' });
  store.forget();
  expect((await store.current(now))?.password).toBe('new');
});

test('Credentials that cannot be read are no reason to fail for good', async () => {
  await put({ accountSid, authToken: 'token' });
  await secrets.stop();
  await expect(store.current(now)).rejects.toMatchObject({ name: 'Failure', code: 'UNAVAILABLE' });
});

const problem = 'The secret for the SMS provider is not filled, or not as README.md says';

test.each([
  ['a random text', 'hunter2', ['']],
  ['a number', '4711', ['']],
  ['no account', { authToken: 'hunter2' }, ['accountSid']],
  ['another account', { accountSid: 'hunter2/../x', authToken: 'hunter2' }, ['accountSid']],
  ['no token', { accountSid }, ['authToken']],
  ['an empty token', { accountSid, authToken: '' }, ['authToken']],
  ['a key without its secret', { accountSid, authToken: 'hunter2', apiKeySid }, ['apiKeySecret']],
  ['the token as the key', { accountSid, apiKeySid: 'hunter2', apiKeySecret: 'hunter2' }, ['apiKeySid']],
  [
    'no service',
    { accountSid, authToken: 'hunter2', messagingServiceSid: 'hunter2' },
    ['messagingServiceSid'],
  ],
])(
  'A secret with %s is as good as none, and the log names the fields without what is in them',
  async (_, value, fields) => {
    await put(value);
    expect(await store.current(now)).toBeUndefined();
    expect(lines).toEqual([{ level: 'error', port: 'sms', problem, fields }]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  },
);
