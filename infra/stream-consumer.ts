import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { CfnEventSourceMapping, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration, Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { StreamOperation } from '../shared/kernel/trigger.ts';
import { operationFunction, type Platform } from './operation-function.ts';
import type { Registered } from './registry.ts';

export interface StreamConsumer {
  readonly function: LambdaFunction;
  /** Pointers to the changes that could not be taken. */
  readonly failures: Queue;
}

/** The function of a stream consumer, fed with the changes that its `on` describes. */
export function streamConsumer(
  scope: Construct,
  id: string,
  registered: Registered<StreamOperation>,
  table: Table,
  platform: Platform,
): StreamConsumer {
  const streamArn = table.tableStreamArn;
  if (streamArn === undefined) {
    throw new Error(`${registered.name} consumes the table's stream, but the table has none.`);
  }
  const failures = failureQueue(scope, `${id}Failures`);
  const target = operationFunction(scope, registered, platform, [
    {
      actions: [
        'dynamodb:DescribeStream',
        'dynamodb:GetRecords',
        'dynamodb:GetShardIterator',
        'dynamodb:ListStreams',
      ],
      resources: [streamArn],
    },
    { actions: ['sqs:SendMessage'], resources: [failures.queueArn] },
  ]);
  new CfnEventSourceMapping(scope, `${id}Source`, {
    eventSourceArn: streamArn,
    functionName: target.functionArn,
    // Nothing that was written before the mapping stood is lost; what comes twice has the same id.
    startingPosition: 'TRIM_HORIZON',
    batchSize: 100,
    maximumBatchingWindowInSeconds: 0,
    filterCriteria: { filters: [{ pattern: JSON.stringify(patternOf(registered.operation)) }] },
    bisectBatchOnFunctionError: true,
    maximumRetryAttempts: 5,
    maximumRecordAgeInSeconds: Duration.hours(1).toSeconds(),
    destinationConfig: { onFailure: { destination: failures.queueArn } },
  });
  return { function: target, failures };
}

function patternOf({ on }: StreamOperation) {
  return { eventName: [on.change], dynamodb: { Keys: { sk: { S: [{ prefix: on.sortPrefix }] } } } };
}

function failureQueue(scope: Construct, id: string): Queue {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  Validations.of(queue).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason: 'It is itself where failures end; an alarm calls a person as soon as it holds one.',
  });
  return queue;
}
