import { createServer } from 'node:http';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, expect, test, vi } from 'vitest';
import { startServer } from '../../infra/local/listening.ts';
import { startQueueServer } from '../../infra/local/queues/queue-server.ts';
import { openQueueStore } from '../../infra/local/queues/queue-store.ts';
import { provideOutgoingTexts } from '../../shared/ports/queue.ts';

const store = openQueueStore(undefined);
const plan = { isOrdered: false, delay: 0, retention: 1e9, visibilityTimeout: 30_000, maxBytes: 1_000 };
store.define([
  { ...plan, name: 'jobs', redrive: { deadLetters: 'dead', maxReceives: 1 } },
  { ...plan, name: 'dead', redrive: undefined },
]);
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const server = await startQueueServer(store, credentials);
const sqs = new SQSClient({ endpoint: server.endpoint, region: 'us-east-1', credentials });
afterAll(async () => {
  sqs.destroy();
  await server.stop();
  store.close();
});

const QueueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/jobs';
const jobs = { QueueUrl };

/** Receives one message, and deletes it. */
async function taken() {
  const { Messages: [message] = [] } = await sqs.send(
    new ReceiveMessageCommand({ ...jobs, MessageSystemAttributeNames: ['All'] }),
  );
  if (message !== undefined) {
    await sqs.send(new DeleteMessageCommand({ ...jobs, ReceiptHandle: message.ReceiptHandle }));
  }
  return message;
}

test('The official client of SQS sends, receives and deletes a message here', async () => {
  const MessageBody = 'Zoë 👋 "quoted"';
  const { MessageId } = await sqs.send(
    new SendMessageCommand({ ...jobs, MessageBody, MessageGroupId: 'acme' }),
  );
  expect(await taken()).toMatchObject({
    MessageId,
    Body: MessageBody,
    Attributes: { ApproximateReceiveCount: '1', MessageGroupId: 'acme' },
  });
  expect(await taken()).toBeUndefined();
});

test('The official client of SQS finds a message delayed, then in flight, then visible again', async () => {
  const counts = async () => {
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ ...jobs, AttributeNames: ['All'] }),
    );
    return [
      Attributes.ApproximateNumberOfMessages,
      Attributes.ApproximateNumberOfMessagesNotVisible,
      Attributes.ApproximateNumberOfMessagesDelayed,
    ];
  };
  await sqs.send(new SendMessageCommand({ ...jobs, MessageBody: 'delayed', DelaySeconds: 3 }));
  expect(await counts()).toEqual(['0', '0', '1']);
  const { Messages: [message] = [] } = await sqs.send(
    new ReceiveMessageCommand({ ...jobs, WaitTimeSeconds: 20 }),
  );
  expect(message?.Body).toBe('delayed');
  expect(await counts()).toEqual(['0', '1', '0']);
  const handle = { ...jobs, ReceiptHandle: message?.ReceiptHandle };
  await sqs.send(new ChangeMessageVisibilityCommand({ ...handle, VisibilityTimeout: 0 }));
  expect(await counts()).toEqual(['1', '0', '0']);
  // Received once, as often as it may be: now it is a dead letter.
  expect(await taken()).toBeUndefined();
});

test.each([
  ['QueueDoesNotExist', { QueueUrl: `${QueueUrl}s`, MessageBody: 'x' }],
  ['InvalidParameterValue', { ...jobs, MessageBody: 'x'.repeat(1_001) }],
  ['InvalidParameterValue', { ...jobs, MessageBody: 'x', DelaySeconds: 901 }],
  ['InvalidParameterValue', { ...jobs, MessageBody: 'x', MessageGroupId: 'ä' }],
  ['InvalidMessageContents', { ...jobs, MessageBody: '\uFFFF' }],
])('The official client of SQS gets the error %s of the service', async (name, input) => {
  await expect(sqs.send(new SendMessageCommand(input))).rejects.toMatchObject({ name });
});

test('Nobody asks without the credentials of the host, and no page does', async () => {
  const otherRep = new SQSClient({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: { ...credentials, secretAccessKey: 'guessed' },
  });
  await expect(otherRep.send(new GetQueueAttributesCommand(jobs))).rejects.toMatchObject({
    name: 'UnrecognizedClientException',
  });
  otherRep.destroy();
  const headers = { origin: 'https://example.com', 'x-amz-target': 'AmazonSQS.GetQueueAttributes' };
  expect((await fetch(server.endpoint, { method: 'POST', headers, body: '{}' })).status).toBe(403);
});

const environment = {
  OUTGOING_TEXTS_URL: QueueUrl,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL_SQS: server.endpoint,
};

test('A function sends a message of a group, at once or later', async () => {
  const queue = provideOutgoingTexts(environment)({});
  await queue.send('{"one": 1}', { group: 'Zoë' });
  expect(await taken()).toMatchObject({
    Body: '{"one": 1}',
    Attributes: { MessageGroupId: expect.stringMatching(/^[\w-]{43}$/) },
  });
  await queue.send('later', { group: 'a', delay: 60_000 });
  expect(store.counts('jobs')).toMatchObject({ visible: 0, delayed: 1 });
  const refused = { name: 'InvalidParameterValue' };
  await expect(queue.send('x'.repeat(2_000), { group: 'a' })).rejects.toMatchObject(refused);

  const nowhere = provideOutgoingTexts({ ...environment, AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:9' })({});
  await expect(nowhere.send('x', { group: 'a' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('A function sends nothing for a caller who may not, nor when an equal request was faster', async () => {
  const provide = provideOutgoingTexts(environment);
  const refusal = new Error('You no longer have the role in your token');
  const lost = provide({ mayWrite: Promise.reject(refusal) });
  const slower = provide({
    writes: { runId: 'slower', commit: async () => undefined, before: () => Promise.reject(refusal) },
  });
  for (const queue of [lost, slower]) {
    await expect(queue.send('x', { group: 'a' })).rejects.toBe(refusal);
  }
  expect(await taken()).toBeUndefined();
});

test('A message does not say in which trace it was sent: Lambda would drop it, if postponed often, as part of a loop', async () => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'send-text-message');
  vi.stubEnv('_X_AMZN_TRACE_ID', 'Root=1-5759e988-bd862e3fe1be46a994272793;Lineage=a87bd80c:1');
  const traces: unknown[] = [];
  const listener = createServer(({ headers }, response) => {
    traces.push(headers['x-amzn-trace-id']);
    response.writeHead(400).end('{}');
  });
  const { endpoint, stop } = await startServer(listener, 0);
  const queue = provideOutgoingTexts({ ...environment, AWS_ENDPOINT_URL_SQS: endpoint })({});
  await expect(queue.send('x', { group: 'a' })).rejects.toThrow();
  await stop();
  vi.unstubAllEnvs();
  expect(traces).toEqual([undefined]);
});
