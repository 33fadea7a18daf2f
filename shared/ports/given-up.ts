import type { Message } from '@aws-sdk/client-sqs';
import type { InvocationScope } from '../kernel/ports.ts';
import type { GivenUp, GivenUpBatch, GivenUpRequest } from '../kernel/providers/given-up.ts';
import { type ClientLimits, clientLimits } from './aws/client-limits.ts';
import { bucketFrom } from './aws/s3-bucket.ts';
import { type ObjectRequests, objectRequests, type StoredObject } from './aws/s3-requests.ts';
import { sqsRequests } from './aws/sqs.ts';
import { required } from './environment.ts';

/** Where Lambda puts failed batches. The bucket has nothing else. */
const prefix = 'aws/lambda/';

/** Seconds for which others do not see a message: longer than a run takes, and much shorter than an alarm looks at. */
const hidden = 20;

/** Messages that SQS lets one request receive. */
const maxMessages = 10;

export function provideGivenUp(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const queue = required(environment, 'DEFERRED_REQUESTS_URL');
  const deadLetters = { QueueUrl: required(environment, 'DEAD_REQUESTS_URL') };
  const ask = sqsRequests(environment, limits);
  // The other stack exports the ARN.
  const name = required(environment, 'FAILED_BATCHES_ARN').split(':').at(-1);
  const objectsOf = objectRequests(bucketFrom({ ...environment, BUCKET_NAME: name }, limits));

  function requestOf({ Body: body = '', ReceiptHandle }: Message): GivenUpRequest {
    const drop = async () => {
      await ask(({ client, DeleteMessageCommand }) =>
        client.send(new DeleteMessageCommand({ ...deadLetters, ReceiptHandle })),
      );
    };
    return {
      body,
      async tryAgain() {
        const message = { QueueUrl: queue, MessageBody: body, MessageGroupId: 'tried-again' };
        await ask(({ client, SendMessageCommand }) => client.send(new SendMessageCommand(message)));
        await drop();
      },
      drop,
    };
  }

  return (call: InvocationScope): GivenUp => ({
    async *requests() {
      for (;;) {
        // Waiting a second asks all servers of the queue; without it, some messages may seem not to be there.
        const input = { MaxNumberOfMessages: maxMessages, VisibilityTimeout: hidden, WaitTimeSeconds: 1 };
        const { Messages = [] } = await ask(({ client, ReceiveMessageCommand }) =>
          client.send(new ReceiveMessageCommand({ ...deadLetters, ...input })),
        );
        if (Messages.length === 0) {
          return;
        }
        yield* Messages.map(requestOf);
      }
    },
    async *batches() {
      const objects = objectsOf(call);
      const keys = await objects.list(prefix);
      const first = Math.floor(call.random() * keys.length);
      for (const key of [...keys.slice(first), ...keys.slice(0, first)]) {
        const found = await objects.read(key);
        // Undefined once somebody has redriven it.
        if (found !== undefined) {
          yield batchOf(objects, key, found);
        }
      }
    },
  });
}

function batchOf(objects: ObjectRequests, key: string, { bytes, etag }: StoredObject): GivenUpBatch {
  return {
    text: Buffer.from(bytes).toString(),
    replace: (other) =>
      other === undefined
        ? objects.remove(key)
        : objects.replace({ key, etag }, Buffer.from(other), { ContentType: 'application/json' }),
  };
}
