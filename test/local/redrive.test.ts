import {
  InvokeCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  ListTagsCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clients, listMappings, localClients, redrive } from '../../infra/redrive.ts';
import { eventually } from '../harness/eventually.ts';
import { type Running, startFixture } from './fixture/running.ts';

let running: Running;
let clients: Clients;
beforeAll(async () => {
  running = await startFixture();
  clients = localClients(running.host.redriveEndpoints);
});
afterAll(async () => {
  for (const client of Object.values(clients)) {
    client.destroy();
  }
  await running.stop();
});

const urlOf = (name: string) => `https://sqs.us-east-1.amazonaws.com/000000000000/${name}`;
const send = (MessageBody: string) =>
  clients.sqs.send(new SendMessageCommand({ QueueUrl: urlOf('fixture-jobs'), MessageBody }));
const times = async (key: string) => Number((await running.read(key))?.times?.N ?? 0);

async function waiting(name: string): Promise<number> {
  const { Attributes = {} } = await clients.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: urlOf(name), AttributeNames: ['All'] }),
  );
  return (
    Number(Attributes.ApproximateNumberOfMessages) + Number(Attributes.ApproximateNumberOfMessagesNotVisible)
  );
}

/** The bucket for failed batches. */
async function bucket(): Promise<string> {
  const mappings = await listMappings(clients.lambda, 'FixtureApi');
  const [destination = ''] = mappings.flatMap((mapping) => mapping.destination ?? []);
  return destination.replace('arn:aws:s3:::', '');
}

async function failedBatches(): Promise<number> {
  return (await clients.s3.send(new ListObjectsV2Command({ Bucket: await bucket() }))).KeyCount ?? 0;
}

async function redriven() {
  const lines: string[] = [];
  const left = await redrive(clients, 'FixtureApi', (line) => lines.push(line));
  return { left, lines: lines.join('\n') };
}

test('The functions of a host are closed to anybody who has only seen the key id, as it is in every link to an object', async () => {
  const { redriveEndpoints: endpoints } = running.host;
  const credentials = { ...endpoints.credentials, secretAccessKey: 'local' };
  const { lambda, sqs, s3 } = localClients({ ...endpoints, credentials });
  const [mapping] = await listMappings(clients.lambda, 'FixtureApi');
  const refused = { name: 'UnrecognizedClientException' };
  await expect(lambda.send(new ListEventSourceMappingsCommand())).rejects.toMatchObject(refused);
  const invocation = { FunctionName: mapping?.functionArn ?? '', Payload: '{}' };
  await expect(lambda.send(new InvokeCommand(invocation))).rejects.toMatchObject(refused);
  for (const client of [lambda, sqs, s3]) {
    client.destroy();
  }
});

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
  await Promise.all(['fail', 'throw', 'good'].map(send));
  await eventually(async () => (await waiting('fixture-dead')) === 2);
  expect(await times('taken#fail')).toBeGreaterThanOrEqual(2);
  expect(await times('taken#throw')).toBeGreaterThanOrEqual(2);
  expect(await times('taken#good')).toBeGreaterThanOrEqual(1);
  const dead = { QueueUrl: urlOf('fixture-dead') };
  const { Messages = [] } = await clients.sqs.send(
    new ReceiveMessageCommand({ ...dead, MaxNumberOfMessages: 10 }),
  );
  expect(Messages.map(({ Body }) => Body).sort()).toEqual(['fail', 'throw']);
  for (const { ReceiptHandle } of Messages) {
    await clients.sqs.send(new DeleteMessageCommand({ ...dead, ReceiptHandle }));
  }
});

test('What failed too often is processed when its cause is fixed and it is redriven', async () => {
  await send('mend');
  await running.put('job#mend');
  await eventually(async () => (await waiting('fixture-dead')) === 1 && (await failedBatches()) === 1);
  const early = await redriven();
  expect(early.left).toBe(1);
  expect(early.lines).toContain('fixture-jobs: SQS moves its failed messages back');
  expect(early.lines).toContain('its reader failed: This is meant to fail');

  await running.put('mended');
  const { left, lines } = await redriven();
  expect(left).toBe(0);
  expect(lines).toMatch(/aws\/lambda\/\S+: processed/);
  expect(await failedBatches()).toBe(0);
  // It may have failed once more before.
  await eventually(async () => {
    await redriven();
    return (await waiting('fixture-jobs')) === 0 && (await waiting('fixture-dead')) === 0;
  });
});

test('A failed batch that somebody else has had processed meanwhile hinders no redrive of the others', async () => {
  const [Bucket, keys] = [
    await bucket(),
    ['a', 'b'].map((name) => `aws/lambda/gone/shard/2026/11/23/${name}`),
  ];
  for (const Key of keys) {
    await clients.s3.send(new PutObjectCommand({ Bucket, Key, Body: '{}' }));
  }
  const { s3 } = localClients(running.host.redriveEndpoints);
  s3.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'GetObjectCommand' && 'Key' in args.input && args.input.Key === keys[0]) {
          await clients.s3.send(new DeleteObjectCommand({ Bucket, Key: keys[0] }));
        }
        return next(args);
      },
    { step: 'initialize' },
  );
  const lines: string[] = [];
  const left = await redrive({ ...clients, s3 }, 'FixtureApi', (line) => lines.push(line));
  s3.destroy();
  await clients.s3.send(new DeleteObjectCommand({ Bucket, Key: keys[1] }));
  expect(left).toBe(2);
  expect(lines.slice(0, 2)).toEqual([
    `${keys[0]}: The specified key does not exist.`,
    `${keys[1]}: no function reads its stream, or it has no records`,
  ]);
});

test('A queue whose messages SQS is still moving hinders no other, and counts as left', async () => {
  const { sqs } = localClients(running.host.redriveEndpoints);
  sqs.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'StartMessageMoveTaskCommand') {
          throw new Error('There is already a task running.');
        }
        return next(args);
      },
    { step: 'initialize' },
  );
  const lines: string[] = [];
  const left = await redrive({ ...clients, sqs }, 'FixtureApi', (line) => lines.push(line));
  sqs.destroy();
  expect(left).toBe(1);
  expect(lines).toEqual(['fixture-jobs: There is already a task running.']);
});

test('A stack that is not there is named', async () => {
  await expect(redrive(clients, 'Other', () => undefined)).rejects.toThrow('There is no stack Other here');
});

test('What else reads queues in the account hinders no redrive: functions that are gone, and aliases', async () => {
  const arnOf = (name: string) => `arn:aws:lambda:eu-central-1:123456789012:function:${name}`;
  const queue = 'arn:aws:sqs:eu-central-1:123456789012:jobs';
  const EventSourceMappings = ['gone', 'others:live', 'others', 'ours'].map((UUID) => ({
    UUID,
    EventSourceArn: queue,
    FunctionArn: arnOf(UUID),
  }));
  const tagsOf = (stack: string) => ({ Tags: { 'aws:cloudformation:stack-name': stack } });
  const lambda = mockClient(LambdaClient)
    .on(ListEventSourceMappingsCommand)
    .resolves({ EventSourceMappings })
    // Lambda knows no tags of aliases.
    .on(ListTagsCommand)
    .rejects('InvalidParameterValueException')
    .on(ListTagsCommand, { Resource: arnOf('gone') })
    .rejects(new ResourceNotFoundException({ $metadata: {}, message: 'It is gone' }))
    .on(ListTagsCommand, { Resource: arnOf('others') })
    .resolves(tagsOf('Shop'))
    .on(ListTagsCommand, { Resource: arnOf('ours') })
    .resolves(tagsOf('Switchboard-dev'));
  expect(await listMappings(new LambdaClient({ region: 'eu-central-1' }), 'Switchboard-dev')).toEqual([
    { id: 'ours', sourceArn: queue, functionArn: arnOf('ours'), destination: undefined },
  ]);
  lambda.restore();
});
