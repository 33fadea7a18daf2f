// `npm run redrive`: processes failed messages and batches again, once the cause is fixed.

import { parseArgs } from 'node:util';
import {
  InvokeCommand,
  LambdaClient,
  ListTagsCommand,
  paginateListEventSourceMappings,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { DeleteObjectCommand, GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { isProgram } from './project.ts';
import { findTarget, inOneLine } from './target.ts';

export interface Clients {
  readonly lambda: LambdaClient;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
}

/** An event source mapping that reads a queue or a stream for the stack. */
export interface Mapping {
  readonly id: string;
  readonly sourceArn: string;
  readonly functionArn: string;
  /** The ARN of where failed batches of a stream go. */
  readonly destination: string | undefined;
}

/**
 * Has the messages of all dead-letter queues of a stack moved back into their queues, and passes the failed batches of the table's stream
 * to their readers again. It prints what it does, and may run any number of times: what is processed twice has its effect once.
 * @returns how many batches are left, because they failed again or no function takes them, and how many queues, because SQS refused to move
 *   their messages, as it does while it still moves those of an earlier run.
 */
export async function redrive(clients: Clients, stack: string, say: (line: string) => void): Promise<number> {
  const mappings = await listMappings(clients.lambda, stack);
  if (mappings.length === 0) {
    throw new Error(
      `There is no stack ${stack} here: none of its functions reads a queue or a stream. Name another stage with STAGE=, or another region with AWS_REGION=.`,
    );
  }
  let left = 0;
  const buckets = new Set(
    mappings.flatMap(({ destination }) => /:s3:+(.+)/.exec(destination ?? '')?.[1] ?? []),
  );
  for (const bucket of buckets) {
    for (const key of await keysIn(clients.s3, bucket)) {
      // An error about one batch, such as that another run has processed it meanwhile, hinders no others.
      const problem = await redriveBatch(clients, bucket, key, mappings).catch(inOneLine);
      left += problem === undefined ? 0 : 1;
      say(`${key}: ${problem ?? 'processed'}`);
    }
  }
  const moving = new Set<string>();
  for (const { sourceArn } of mappings.filter((mapping) => mapping.sourceArn.includes(':sqs:'))) {
    const queue = nameIn(sourceArn);
    await moveMessages(clients.sqs, queue, moving, say).catch((error: unknown) => {
      left += 1;
      say(`${queue}: ${inOneLine(error)}`);
    });
  }
  return left;
}

const nameIn = (arn: string) => arn.split(':').at(-1) ?? arn;

/** The event source mappings of a stack's functions, which CloudFormation has tagged with its name. */
export async function listMappings(lambda: LambdaClient, stack: string): Promise<Mapping[]> {
  const found: Mapping[] = [];
  for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings({ client: lambda }, {})) {
    for (const { UUID, EventSourceArn, FunctionArn = '', DestinationConfig } of EventSourceMappings) {
      if ((await stackOf(lambda, FunctionArn)) === stack) {
        found.push({
          id: UUID ?? '',
          sourceArn: EventSourceArn ?? '',
          functionArn: FunctionArn,
          destination: DestinationConfig?.OnFailure?.Destination,
        });
      }
    }
  }
  return found;
}

/** The stack of a function; undefined when the function is gone, as it may be for other mappings in the account. */
async function stackOf(lambda: LambdaClient, functionArn: string): Promise<string | undefined> {
  try {
    // Versions and aliases have no tags, and Lambda refuses to list them.
    const Resource = functionArn.split(':').slice(0, 7).join(':');
    const { Tags = {} } = await lambda.send(new ListTagsCommand({ Resource }));
    return Tags['aws:cloudformation:stack-name'];
  } catch (error) {
    if (error instanceof ResourceNotFoundException) {
      return undefined;
    }
    throw error;
  }
}

/** The keys of failed batches begin with this. The whole key: `aws/lambda/<mapping>/<shard>/<day>/<time>-<random>`. */
const prefix = 'aws/lambda/';

/** The keys of the failed batches, in the order in which they failed, across shards. */
async function keysIn(s3: S3Client, Bucket: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: prefix })) {
    keys.push(...Contents.flatMap(({ Key }) => Key ?? []));
  }
  return keys.sort((key, other) => (nameOf(key) < nameOf(other) ? -1 : 1));
}

const nameOf = (key: string) => key.split('/').at(-1) ?? '';

/** A failed batch, as Lambda writes it. */
interface FailedBatch {
  readonly requestContext?: { readonly functionArn?: string };
  /** The event, as JSON. */
  readonly payload?: string;
}

/**
 * Passes a failed batch to the reader of its mapping, or, when that is gone, to the reader that failed on it, and deletes it if the reader
 * succeeds. Resolves with the reason why it stays, if it does.
 */
async function redriveBatch(
  { lambda, s3 }: Clients,
  Bucket: string,
  Key: string,
  mappings: readonly Mapping[],
): Promise<string | undefined> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
  const batch = JSON.parse((await Body?.transformToString()) ?? '{}') as FailedBatch;
  const mapping = mappings.find(({ id }) => Key.startsWith(`${prefix}${id}/`));
  const FunctionName = mapping?.functionArn ?? batch.requestContext?.functionArn;
  if (FunctionName === undefined || batch.payload === undefined) {
    return 'no function reads its stream, or it has no records';
  }
  const { FunctionError, Payload } = await lambda.send(
    new InvokeCommand({ FunctionName, Payload: batch.payload }),
  );
  const result = JSON.parse(Payload?.transformToString() || 'null') as {
    errorMessage?: string;
    batchItemFailures?: unknown[];
  } | null;
  if (FunctionError !== undefined) {
    return `its reader failed: ${result?.errorMessage ?? FunctionError}`;
  }
  if (result?.batchItemFailures?.length) {
    // Records before the first failure have been processed, and can be processed once more.
    return 'its reader failed on part of it';
  }
  await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  return undefined;
}

/**
 * Has SQS move the messages of a queue's dead-letter queue back, which takes it some time. Each message goes to the queue from which it
 * came, and SQS refuses a second request while it moves, so queues that share a dead-letter queue in `moving` need no other request.
 */
async function moveMessages(
  sqs: SQSClient,
  QueueName: string,
  moving: Set<string>,
  say: (line: string) => void,
): Promise<void> {
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName }));
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['RedrivePolicy'] }),
  );
  if (Attributes.RedrivePolicy !== undefined) {
    const { deadLetterTargetArn: SourceArn } = JSON.parse(Attributes.RedrivePolicy);
    if (!moving.has(SourceArn)) {
      await sqs.send(new StartMessageMoveTaskCommand({ SourceArn }));
      moving.add(SourceArn);
    }
    say(`${QueueName}: SQS moves its failed messages back`);
  }
}

if (isProgram(import.meta)) {
  const { STAGE: stage = 'dev' } = process.env;
  try {
    // It takes no arguments: whoever gives one means something else than this stage.
    parseArgs();
    const { region } = await findTarget('redrive', process.env);
    const clients = {
      lambda: new LambdaClient({ region }),
      s3: new S3Client({ region }),
      sqs: new SQSClient({ region }),
    };
    process.exitCode = (await redrive(clients, `Switchboard-${stage}`, console.log)) === 0 ? 0 : 1;
  } catch (error) {
    console.error(inOneLine(error));
    process.exitCode = 1;
  }
}
