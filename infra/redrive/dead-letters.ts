import { setTimeout as sleep } from 'node:timers/promises';
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListMessageMoveTasksCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import type { Mapping } from './mappings.ts';

const nameIn = (arn: string) => arn.split(':').at(-1) ?? arn;

/** The pause between two checks of a task that moves messages. */
const lookMilliseconds = 1_000;

/** Moves the messages of the dead-letter queues back into the queues that these mappings read. */
export async function redriveMessages(
  sqs: SQSClient,
  mappings: readonly Mapping[],
  say: (line: string) => void,
): Promise<void> {
  for (const { sourceArn } of mappings.filter((one) => one.sourceArn.includes(':sqs:'))) {
    const { RedrivePolicy } = await attributesOf(sqs, nameIn(sourceArn), 'RedrivePolicy');
    if (RedrivePolicy === undefined) {
      continue;
    }
    const { deadLetterTargetArn } = JSON.parse(RedrivePolicy) as { deadLetterTargetArn: string };
    const { ApproximateNumberOfMessages: count = '0' } = await attributesOf(
      sqs,
      nameIn(deadLetterTargetArn),
      'ApproximateNumberOfMessages',
    );
    if (count === '0') {
      say(`${nameIn(sourceArn)}: no failed messages`);
      continue;
    }
    say(`${nameIn(sourceArn)}: moving failed messages back: ${count}`);
    await moveAll(sqs, deadLetterTargetArn);
  }
}

async function attributesOf(
  sqs: SQSClient,
  name: string,
  attribute: 'RedrivePolicy' | 'ApproximateNumberOfMessages',
): Promise<Record<string, string | undefined>> {
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: name }));
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [attribute] }),
  );
  return Attributes;
}

/** Resolves when all messages are moved. Waits for a task that somebody else has started. */
async function moveAll(sqs: SQSClient, SourceArn: string): Promise<void> {
  if ((await lastTask(sqs, SourceArn))?.Status !== 'RUNNING') {
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn }));
  }
  for (
    let task = await lastTask(sqs, SourceArn);
    task?.Status === 'RUNNING';
    task = await lastTask(sqs, SourceArn)
  ) {
    await sleep(lookMilliseconds);
  }
  const task = await lastTask(sqs, SourceArn);
  if (task?.Status === 'FAILED') {
    throw new Error(`The messages of ${nameIn(SourceArn)} could not be moved: ${task.FailureReason}`);
  }
}

async function lastTask(sqs: SQSClient, SourceArn: string) {
  const { Results = [] } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 1 }));
  return Results[0];
}
