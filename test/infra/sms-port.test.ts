import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startHost } from '../../infra/local/host.ts';
import { projectRoot } from '../../infra/project.ts';
import { loadOperations } from '../../infra/registry.ts';
import { eventually } from '../harness/eventually.ts';
import { functionNamed, isRequired, statementsFor, synthesized } from './synthesized.ts';

const greet = `
  import * as z from '${projectRoot}/node_modules/zod/mini/index.js';
  import { operation } from '${projectRoot}/shared/kernel/operation.ts';
  export default operation({
    route: 'POST /api/greetings', summary: 'Greet', family: 'plain', minimumRole: 'anyone', uses: { queue: 'outgoingTexts' },
    body: z.object({ to: z.string(), outcomeFile: z.string() }),
    output: z.object({ isQueued: z.boolean() }),
    async run({ body }, { queue }) {
      await queue.send(JSON.stringify(body), { group: 'all' });
      return { isQueued: true };
    },
  });`;
const sendGreeting = `
  import { appendFile } from 'node:fs/promises';
  import { queueOperation } from '${projectRoot}/shared/kernel/trigger.ts';
  export default queueOperation({
    queue: 'outgoingTexts', summary: 'Send a greeting', uses: { sms: 'send' },
    async run({ to, outcomeFile }, { sms, newId }) {
      const outcome = await sms.send({ id: newId(), from: undefined, to, content: 'Hello', mediaUrls: [], statusPath: '/api/reports?of=1' });
      await appendFile(outcomeFile, JSON.stringify(outcome));
      return { tries: 0 };
    },
  });`;
const folder = await mkdtemp(join(tmpdir(), 'switchboard-sms-port-'));
await mkdir(join(folder, 'source/greetings'), { recursive: true });
await writeFile(join(folder, 'source/greetings/greet.ts'), greet);
await writeFile(join(folder, 'source/greetings/send-greeting.ts'), sendGreeting);
const platform = (await loadOperations()).filter(isRequired);
/** The product's own parts of the gateway, an operation that queues a text, and the one that sends it. */
const app = await synthesized([...platform, ...(await loadOperations(join(folder, 'source')))]);
afterAll(async () => {
  await app.remove();
  await rm(folder, { recursive: true, force: true });
});

const file = () => join(app.outdir, 'functions/send-greeting/index.mjs');

test('A function that sends text messages has no more than 260 KB', async () => {
  expect((await stat(file())).size).toBeLessThanOrEqual(260_000);
});

test('A function that sends text messages does not load the HTTP client of `fetch` when it starts', async () => {
  expect(await readFile(file(), 'utf8')).not.toMatch(/\bfrom\s*["'](node:)?http["']|\bfetch\(/);
});

test('A function that sends text messages sends through Twilio, with the credentials of a secret that it may read and that outlives the stacks', () => {
  const { Variables } = functionNamed(app, 'send-greeting').Properties.Environment;
  expect(Variables).toEqual({
    API_URL: expect.anything(),
    SMS_PROVIDER: 'twilio',
    SMS_SECRET_ARN: expect.anything(),
  });
  expect(JSON.stringify(Variables.API_URL)).toMatch(/HttpApi.*execute-api/);
  const reading = statementsFor(app, 'send-greeting').find(
    ({ Action }) => Action === 'secretsmanager:GetSecretValue',
  );
  expect(reading?.Resource).toEqual(Variables.SMS_SECRET_ARN);

  const [secret, ...others] = app
    .ofType('AWS::SecretsManager::Secret')
    .filter(({ id }) => id.startsWith('SmsProviderSecret'));
  expect(others).toEqual([]);
  expect(secret?.template.resources[secret.id]).toMatchObject({
    DeletionPolicy: 'RetainExceptOnCreate',
    UpdateReplacePolicy: 'Retain',
    Properties: { Description: expect.stringContaining('accountSid') },
  });
  expect(JSON.stringify(Variables.SMS_SECRET_ARN)).toContain('SmsProviderSecret');
});

/** What becomes of a text on a host with these additions to its environment. */
async function outcomeOf(dataDir: string, environment: Record<string, string> = {}): Promise<unknown> {
  const host = await startHost({ assembly: app.outdir, port: 0, dataDir, environment });
  try {
    const outcomeFile = `${dataDir}.outcome`;
    const body = JSON.stringify({ to: '+15550100', outcomeFile });
    const response = await fetch(`${host.url}/api/greetings`, { method: 'POST', body });
    expect(response.status).toBe(200);
    // The file is there a moment before its text.
    return await eventually(async () =>
      JSON.parse((await readFile(outcomeFile, 'utf8').catch(() => '')) || 'false'),
    );
  } finally {
    await host.stop();
  }
}

test('On the local host text messages are not sent but written into the data directory', async () => {
  const dataDir = join(folder, 'recorded');
  expect(await outcomeOf(dataDir)).toMatchObject({ status: 'sent' });
  const line = JSON.parse(await readFile(join(dataDir, 'sent-messages.ndjson'), 'utf8'));
  expect(line).toMatchObject({
    to: '+15550100',
    content: 'Hello',
    statusCallback: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/reports\?of=1$/),
    status: 'sent',
  });
});

test('On the local host Twilio as the provider fails, with the reason, while its secret is as it was created', async () => {
  const reason = 'No SMS provider is configured. The operator of this service must store its credentials.';
  expect(await outcomeOf(join(folder, 'unfilled'), { SMS_PROVIDER: 'twilio' })).toMatchObject({
    status: 'failed',
    reason,
  });
});
