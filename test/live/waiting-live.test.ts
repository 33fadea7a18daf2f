import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, expect, test } from 'vitest';
import { startHost } from '../../infra/local/host.ts';
import { assembly } from '../harness/assembly.ts';
import { eventually } from '../harness/eventually.ts';
import { gatewayEvent } from '../harness/gateway.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { hostClient } from './live-host.ts';

const host = await startHost({ assembly: await assembly(), port: 0 });
const client = hostClient(host);
const { queuesEndpoint: endpoint, credentials } = host;
const sqs = new SQSClient({ endpoint, credentials, region: 'us-east-1' });
afterAll(async () => {
  sqs.destroy();
  await client.stop();
});

const run = promisify(execFile);

/** Calls a function's bundle in a process of its own, whose table is out of reach. */
async function invokeWithoutTable(
  name: string,
  event: object,
): Promise<{ statusCode: number; body: string }> {
  const environment = host.functionEnvironment(name);
  const module = pathToFileURL(join(environment.LAMBDA_TASK_ROOT ?? '', 'index.mjs')).href;
  const script = `const { handler } = await import(process.argv[1]);
    const answer = await handler(JSON.parse(process.argv[2]), {});
    process.stdout.write('\\n' + JSON.stringify(answer));
    process.exit();`;
  const { stdout } = await run(
    process.execPath,
    ['--input-type=module', '--eval', script, module, JSON.stringify(event)],
    { env: { ...environment, AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' } },
  );
  return JSON.parse(stdout.split('\n').at(-1) ?? '');
}

/** The messages of the queue whose URL a function has in this variable, delayed ones too. */
async function waitingIn(functionName: string, variable: string): Promise<number> {
  const QueueUrl = host.functionEnvironment(functionName)[variable];
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
  );
  return (
    Number(Attributes.ApproximateNumberOfMessages) +
    Number(Attributes.ApproximateNumberOfMessagesNotVisible) +
    Number(Attributes.ApproximateNumberOfMessagesDelayed)
  );
}

test('On the local host, a lead that a function without a table has deferred is stored by the function for deferred requests', async () => {
  const admin = await client.newOrganization();
  const { data } = await client.call('POST /api/outreach', admin, { name: 'Spring' });
  const body = { configurationId: data._id, phoneNumber: newPhoneNumber(), firstName: 'Ada', lastName: 'L.' };
  const answer = await invokeWithoutTable(
    'receive-lead',
    gatewayEvent('POST /api/webhook/outreach', { body }, undefined),
  );
  expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([
    202,
    { success: true, message: 'Received. It will be processed within minutes.' },
  ]);
  const board = () => client.call('POST /api/contacts', admin, { search: body.phoneNumber });
  await eventually(async () => {
    const columns = Object.values((await board()).data) as { total: number }[];
    return columns.some(({ total }) => total === 1);
  });
  await eventually(async () => (await waitingIn('receive-lead', 'DEFERRED_REQUESTS_URL')) === 0);
});

test('On the local host, a message to a number for which the provider is busy waits in the queue, and holds up no other', async () => {
  const admin = await client.newOrganization();
  await client.call(`POST /api/organizations/${admin.organizationId}/phone-numbers`, admin, {
    userId: admin.id,
    provider: 'twilio',
    phoneNumber: newPhoneNumber(),
    isDefault: true,
  });
  const send = async (value: string) => {
    const contact = await client.call('POST /api/contacts/create', admin, { phoneNumbers: [{ value }] });
    const contactId = contact.data._id;
    return (await client.call('POST /api/messages', admin, { contactId, content: 'Hello' })).data;
  };
  const statusOf = async ({ conversationId }: { conversationId: string }) =>
    (await client.call(`GET /api/conversations/${conversationId}/messages`, admin)).data[0].status;
  const busy = await send('+15005550008');
  const other = await send(newPhoneNumber());
  await eventually(async () => (await statusOf(other)) === 'sent');
  await eventually(async () => (await waitingIn('send-text-message', 'OUTGOING_TEXTS_URL')) === 1);
  expect(await statusOf(busy)).toBe('queued');
});
