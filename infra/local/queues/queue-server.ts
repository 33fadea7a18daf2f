import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { jsonIn } from '../../../shared/kernel/json.ts';
import type { Credentials } from '../environment.ts';
import { ServiceError, startJsonService } from '../json-service.ts';
import type { LocalServer } from '../listening.ts';
import type { QueuePlan, QueueStore } from './queue.ts';
import { queueNameIn } from './queue-plan.ts';
import { md5 } from './queue-store.ts';

const seconds = (most: number) => z.number().int().min(0).max(most);
const QueueUrl = z.string();
const ReceiptHandle = z.string();
const group = /^[\w!"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]{1,128}$/;
/** The characters of XML 1.0. */
const unsendable = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

const inputs = {
  SendMessage: z.strictObject({
    QueueUrl,
    MessageBody: z.string().min(1),
    DelaySeconds: seconds(900).optional(),
    MessageGroupId: z.string().regex(group).optional(),
  }),
  ReceiveMessage: z.strictObject({
    QueueUrl,
    MaxNumberOfMessages: z.number().int().min(1).max(10).default(1),
    VisibilityTimeout: seconds(43_200).optional(),
    WaitTimeSeconds: seconds(20).default(0),
    MessageSystemAttributeNames: z.array(z.string()).optional(),
  }),
  DeleteMessage: z.strictObject({ QueueUrl, ReceiptHandle }),
  ChangeMessageVisibility: z.strictObject({ QueueUrl, ReceiptHandle, VisibilityTimeout: seconds(43_200) }),
  GetQueueAttributes: z.strictObject({ QueueUrl, AttributeNames: z.array(z.string()).optional() }),
};
type Inputs = { [Name in keyof typeof inputs]: z.infer<(typeof inputs)[Name]> };

/** The interval at which an empty queue is checked while somebody waits for a message. */
const lookMilliseconds = 50;

/**
 * A stand-in for Amazon SQS on the loopback interface, with the queues of the templates and the operations that functions and people use.
 * It serves whoever has these credentials and is not a web page.
 */
export function startQueueServer(store: QueueStore, credentials: Credentials): Promise<LocalServer> {
  const operations = operationsOn(store);
  return startJsonService({
    contentType: 'application/x-amz-json-1.0',
    credentials,
    perform: (target, body) => perform(target, body, operations),
  });
}

type Operations = { [Name in keyof Inputs]: (input: Inputs[Name]) => object | Promise<object> };

function operationsOn(store: QueueStore): Operations {
  const known = (reference: string): QueuePlan => {
    const plan = store.plan(queueNameIn(reference));
    if (plan === undefined) {
      throw new ServiceError('QueueDoesNotExist', 'The specified queue does not exist.');
    }
    return plan;
  };

  return {
    SendMessage({ QueueUrl: url, MessageBody: body, DelaySeconds: delay, MessageGroupId }) {
      const { name, maxBytes, isOrdered } = known(url);
      if (isOrdered && (MessageGroupId === undefined || delay !== undefined)) {
        throw new ServiceError(
          'InvalidParameterValue',
          'A message of a FIFO queue must have a MessageGroupId and no DelaySeconds.',
        );
      }
      if (Buffer.byteLength(body) > maxBytes) {
        throw new ServiceError('InvalidParameterValue', `Message must be shorter than ${maxBytes} bytes.`);
      }
      if (unsendable.test(body)) {
        throw new ServiceError('InvalidMessageContents', 'Invalid characters found.');
      }
      const id = store.send(name, {
        body,
        group: MessageGroupId,
        delay: delay === undefined ? undefined : delay * 1000,
      });
      return { MessageId: id, MD5OfMessageBody: md5(body) };
    },
    async ReceiveMessage({ QueueUrl: url, MaxNumberOfMessages: most, VisibilityTimeout, WaitTimeSeconds }) {
      const { name } = known(url);
      const end = Date.now() + WaitTimeSeconds * 1000;
      const visibilityTimeout = VisibilityTimeout === undefined ? undefined : VisibilityTimeout * 1000;
      let received = store.receive(name, { most, visibilityTimeout });
      while (received.length === 0 && Date.now() < end) {
        await sleep(lookMilliseconds);
        received = store.receive(name, { most, visibilityTimeout });
      }
      const Messages = received.map((message) => ({
        MessageId: message.id,
        ReceiptHandle: message.receipt,
        Body: message.body,
        MD5OfBody: message.md5,
        Attributes: {
          ApproximateReceiveCount: String(message.receives),
          SentTimestamp: String(message.sentAt),
          ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
          ...(message.group !== undefined && { MessageGroupId: message.group }),
        },
      }));
      return Messages.length === 0 ? {} : { Messages };
    },
    DeleteMessage({ QueueUrl: url, ReceiptHandle: receipt }) {
      store.delete(known(url).name, receipt);
      return {};
    },
    ChangeMessageVisibility({ QueueUrl: url, ReceiptHandle: receipt, VisibilityTimeout }) {
      if (!store.changeVisibility(known(url).name, receipt, VisibilityTimeout * 1000)) {
        throw new ServiceError('MessageNotInflight', 'The message referred to is not in flight.');
      }
      return {};
    },
    GetQueueAttributes({ QueueUrl: url }) {
      const { visible, inFlight, delayed } = store.counts(known(url).name);
      return {
        Attributes: {
          ApproximateNumberOfMessages: String(visible),
          ApproximateNumberOfMessagesNotVisible: String(inFlight),
          ApproximateNumberOfMessagesDelayed: String(delayed),
        },
      };
    },
  };
}

function perform(target: unknown, body: Buffer, operations: Operations): object | Promise<object> {
  const [, name = ''] = /^AmazonSQS\.(\w+)$/.exec(String(target)) ?? [];
  if (!Object.hasOwn(inputs, name)) {
    throw new ServiceError('UnsupportedOperation', `The local SQS has no operation ${name}.`);
  }
  const result = inputs[name as keyof Inputs].safeParse(jsonIn(body.toString()));
  if (!result.success) {
    throw new ServiceError('InvalidParameterValue', z.prettifyError(result.error));
  }
  return operations[name as keyof Inputs](result.data as never);
}
