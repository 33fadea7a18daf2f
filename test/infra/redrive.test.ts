import {
  InvokeCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  ListTagsCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { listMappings, redrive } from '../../infra/redrive.ts';

const clients = {
  lambda: new LambdaClient({ region: 'eu-central-1' }),
  s3: new S3Client({ region: 'eu-central-1' }),
  sqs: new SQSClient({ region: 'eu-central-1' }),
};
// Only these clients: a mocked class would be mocked in other files of the process, too.
const [lambda, s3, sqs] = [mockClient(clients.lambda), mockClient(clients.s3), mockClient(clients.sqs)];

const arnOf = (name: string) => `arn:aws:lambda:eu-central-1:123456789012:function:${name}`;
const queueArn = (name: string) => `arn:aws:sqs:eu-central-1:123456789012:${name}`;
const tagsOf = (stack: string) => ({ Tags: { 'aws:cloudformation:stack-name': stack } });
const keyOf = (mapping: string, name: string) => `aws/lambda/${mapping}/shard/2026/11/23/${name}`;

/** A reader of the stream and a consumer of a queue. */
const EventSourceMappings = [
  {
    UUID: 'm1',
    EventSourceArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/t/stream/s',
    FunctionArn: arnOf('reader'),
    DestinationConfig: { OnFailure: { Destination: 'arn:aws:s3:::failures' } },
  },
  { UUID: 'm2', EventSourceArn: queueArn('jobs'), FunctionArn: arnOf('consumer') },
];

/** The failed batches in the bucket, by key. */
let batches: Map<string, object>;
beforeEach(() => {
  for (const client of [lambda, s3, sqs]) {
    client.reset();
  }
  batches = new Map();
  lambda.on(ListEventSourceMappingsCommand).resolves({ EventSourceMappings });
  lambda.on(ListTagsCommand).resolves(tagsOf('Switchboard-dev'));
  s3.on(ListObjectsV2Command).callsFake(() => ({ Contents: [...batches.keys()].map((Key) => ({ Key })) }));
  s3.on(GetObjectCommand).callsFake(({ Key }) => {
    if (!batches.has(Key)) {
      throw new Error('The specified key does not exist.');
    }
    return { Body: { transformToString: async () => JSON.stringify(batches.get(Key)) } };
  });
  s3.on(DeleteObjectCommand).callsFake(({ Key }) => void batches.delete(Key));
  sqs.on(GetQueueUrlCommand).callsFake(({ QueueName }) => ({ QueueUrl: `https://sqs/${QueueName}` }));
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: queueArn('dead'), maxReceiveCount: 3 });
  sqs.on(GetQueueAttributesCommand).resolves({ Attributes: { RedrivePolicy } });
  sqs.on(StartMessageMoveTaskCommand).resolves({});
});

async function redriven(stack = 'Switchboard-dev') {
  const lines: string[] = [];
  return { left: await redrive(clients, stack, (line) => lines.push(line)), lines };
}

const responding = (result: unknown, error?: string) => ({
  ...(error && { FunctionError: error }),
  Payload: { transformToString: () => JSON.stringify(result) } as never,
});

test('Failed batches go to their readers again, in the order in which they failed, and failed messages back into their queue', async () => {
  batches.set(keyOf('m1', 'b'), { payload: '{"n":2}' }).set(keyOf('m1', 'a'), { payload: '{"n":1}' });
  lambda.on(InvokeCommand).resolves(responding({ batchItemFailures: [] }));
  expect(await redriven()).toEqual({
    left: 0,
    lines: [
      `${keyOf('m1', 'a')}: processed`,
      `${keyOf('m1', 'b')}: processed`,
      'jobs: SQS moves its failed messages back',
    ],
  });
  const sent = lambda.commandCalls(InvokeCommand).map(({ args: [{ input }] }) => input);
  expect(sent).toEqual(['{"n":1}', '{"n":2}'].map((Payload) => ({ FunctionName: arnOf('reader'), Payload })));
  const [moved] = sqs.commandCalls(StartMessageMoveTaskCommand);
  expect(moved?.args[0].input).toEqual({ SourceArn: queueArn('dead') });
  expect(batches.size).toBe(0);
});

test.each([
  [
    responding({ errorMessage: 'This is meant to fail' }, 'Unhandled'),
    'its reader failed: This is meant to fail',
  ],
  [responding({ batchItemFailures: [{}] }), 'its reader failed on part of it'],
])('A batch whose reader fails again stays', async (response, reason) => {
  batches.set(keyOf('m1', 'a'), { payload: '{}' });
  lambda.on(InvokeCommand).resolves(response);
  const { left, lines } = await redriven();
  expect({ left, line: lines[0] }).toEqual({ left: 1, line: `${keyOf('m1', 'a')}: ${reason}` });
  expect(batches.size).toBe(1);
});

test('A failed batch whose mapping is gone goes to the function that failed on it', async () => {
  batches.set(keyOf('gone', 'a'), { payload: '{}', requestContext: { functionArn: arnOf('former') } });
  lambda.on(InvokeCommand).resolves(responding(null));
  expect((await redriven()).left).toBe(0);
  expect(lambda.commandCalls(InvokeCommand)[0]?.args[0].input.FunctionName).toBe(arnOf('former'));
});

test('A failed batch that somebody else has had processed meanwhile hinders no redrive of the others', async () => {
  batches.set(keyOf('gone', 'b'), {});
  s3.on(ListObjectsV2Command).resolves({
    Contents: [{ Key: keyOf('gone', 'a') }, { Key: keyOf('gone', 'b') }],
  });
  const { left, lines } = await redriven();
  expect(left).toBe(2);
  expect(lines.slice(0, 2)).toEqual([
    `${keyOf('gone', 'a')}: The specified key does not exist.`,
    `${keyOf('gone', 'b')}: no function reads its stream, or it has no records`,
  ]);
});

test('A queue whose messages SQS is still moving hinders no other, and counts as left', async () => {
  sqs.on(StartMessageMoveTaskCommand).rejects(new Error('There is already a task running.'));
  expect(await redriven()).toEqual({ left: 1, lines: ['jobs: There is already a task running.'] });
});

test('Queues that share a dead-letter queue have it moved once, and each message goes back to where it came from', async () => {
  lambda.on(ListEventSourceMappingsCommand).resolves({
    EventSourceMappings: ['jobs', 'mail'].map((name) => ({
      UUID: name,
      EventSourceArn: queueArn(name),
      FunctionArn: arnOf(name),
    })),
  });
  expect(await redriven()).toEqual({
    left: 0,
    lines: ['jobs: SQS moves its failed messages back', 'mail: SQS moves its failed messages back'],
  });
  // Without a destination, SQS moves each message to its own source.
  const moved = sqs.commandCalls(StartMessageMoveTaskCommand).map(({ args: [{ input }] }) => input);
  expect(moved).toEqual([{ SourceArn: queueArn('dead') }]);
});

test('A stack that is not there is named', async () => {
  await expect(redriven('Other')).rejects.toThrow('There is no stack Other here');
});

test('What else reads queues in the account hinders no redrive: functions that are gone, and aliases', async () => {
  const queue = queueArn('jobs');
  lambda.on(ListEventSourceMappingsCommand).resolves({
    EventSourceMappings: ['gone', 'others:live', 'others', 'ours'].map((UUID) => ({
      UUID,
      EventSourceArn: queue,
      FunctionArn: arnOf(UUID),
    })),
  });
  lambda
    // Lambda knows no tags of aliases.
    .on(ListTagsCommand)
    .rejects('InvalidParameterValueException')
    .on(ListTagsCommand, { Resource: arnOf('gone') })
    .rejects(new ResourceNotFoundException({ $metadata: {}, message: 'It is gone' }))
    .on(ListTagsCommand, { Resource: arnOf('others') })
    .resolves(tagsOf('Shop'))
    .on(ListTagsCommand, { Resource: arnOf('ours') })
    .resolves(tagsOf('Switchboard-dev'));
  expect(await listMappings(clients.lambda, 'Switchboard-dev')).toEqual([
    { id: 'ours', sourceArn: queue, functionArn: arnOf('ours'), destination: undefined },
  ]);
});
