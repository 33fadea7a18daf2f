import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { type Running, startFixture } from './fixture/running.ts';

let running: Running;
let sqs: SQSClient;
beforeAll(async () => {
  running = await startFixture();
  const { queuesEndpoint: endpoint, credentials } = running.host;
  sqs = new SQSClient({ endpoint, credentials, region: 'us-east-1' });
});
afterAll(async () => {
  sqs.destroy();
  await running.stop();
});

const urlOf = (name: string) => `https://sqs.us-east-1.amazonaws.com/000000000000/${name}`;
const send = (MessageBody: string) =>
  sqs.send(new SendMessageCommand({ QueueUrl: urlOf('fixture-jobs'), MessageBody }));
const times = async (key: string) => Number((await running.read(key))?.times?.N ?? 0);

async function waiting(name: string): Promise<number> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: urlOf(name), AttributeNames: ['All'] }),
  );
  return (
    Number(Attributes.ApproximateNumberOfMessages) + Number(Attributes.ApproximateNumberOfMessagesNotVisible)
  );
}

test('A message reaches the function of its queue, in the form that Lambda gives it', async () => {
  await send('plain');
  await eventually(async () => (await times('taken#plain')) > 0);
  const { queueRecord } = (await running.read('taken#plain')) ?? {};
  expect(JSON.parse(queueRecord?.S ?? '')).toEqual({
    messageId: expect.any(String),
    receiptHandle: expect.any(String),
    body: 'plain',
    attributes: {
      // A first invocation may take longer than the fixture hides a message.
      ApproximateReceiveCount: expect.stringMatching(/^[12]$/),
      SentTimestamp: expect.stringMatching(/^\d{13}$/),
      SenderId: expect.any(String),
      ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
    },
    messageAttributes: {},
    md5OfBody: 'ac7938d40cfc2307e2bf325d28e7884e',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:fixture-jobs',
    awsRegion: 'us-east-1',
  });
});

test('A message that the function reports or throws at comes again, and at last is a dead letter; the others do not', async () => {
  await Promise.all(['fail', 'good'].map(send));
  await eventually(async () => (await waiting('fixture-dead')) === 1 && (await times('taken#good')) > 0);
  // Alone: whatever is in one batch with a message that the function throws at fails with it.
  await send('throw');
  await eventually(async () => (await waiting('fixture-dead')) === 2);
  expect(await times('taken#fail')).toBeGreaterThanOrEqual(2);
  expect(await times('taken#throw')).toBeGreaterThanOrEqual(2);
  expect(await times('taken#good')).toBeGreaterThanOrEqual(1);
  const dead = { QueueUrl: urlOf('fixture-dead') };
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ ...dead, MaxNumberOfMessages: 10 }));
  expect(Messages.map(({ Body }) => Body).sort()).toEqual(['fail', 'throw']);
  for (const { ReceiptHandle } of Messages) {
    await sqs.send(new DeleteMessageCommand({ ...dead, ReceiptHandle }));
  }
});
