import { CfnEventSourceMapping, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Duration, ReferenceStrength, Stack, Token } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { changeKinds, type StreamOperation, type StreamReader } from '../../shared/kernel/trigger.ts';
import type { FunctionPlan } from '../function-plan.ts';
import { pascalCase } from '../pascal-case.ts';
import { type Platform, plannedFunction } from './operation-function.ts';

export interface ReaderFunction {
  readonly function: LambdaFunction;
  readonly mapping: CfnEventSourceMapping;
}

export interface ReaderSources {
  readonly table: { readonly tableStreamArn?: string | undefined };
  /** The bucket for changes that the reader gives up. */
  readonly failedBatches: Bucket;
}

/**
 * The maximum age of a change for a reader. Nobody waits for an event of an hour ago, because clients reload what they show. Background
 * work must be done however late: the stream keeps changes for 24 hours, and one hour less leaves time to write changes that are given up
 * to the bucket for failed batches.
 */
const oldest: Record<StreamReader, Duration> = { live: Duration.hours(1), background: Duration.hours(23) };

/** The function that reads the table's stream for some operations. It gets only the changes that they select. */
export function streamReader(
  scope: Construct,
  plan: FunctionPlan<StreamOperation>,
  { table, failedBatches }: ReaderSources,
  platform: Platform,
): ReaderFunction {
  if (table.tableStreamArn === undefined) {
    throw new Error(`${plan.name} reads the table's stream, but the table has none.`);
  }
  // Weak, because a restored table has another stream: CloudFormation never changes a value that another stack imports.
  const streamArn = Token.isUnresolved(table.tableStreamArn)
    ? Stack.consumeReference(table.tableStreamArn, ReferenceStrength.WEAK)
    : table.tableStreamArn;
  const id = pascalCase(plan.name);
  const target = plannedFunction(scope, plan, platform, [
    {
      actions: [
        'dynamodb:DescribeStream',
        'dynamodb:GetRecords',
        'dynamodb:GetShardIterator',
        'dynamodb:ListStreams',
      ],
      resources: [streamArn],
    },
    { actions: ['s3:ListBucket'], resources: [failedBatches.bucketArn] },
    {
      actions: ['s3:PutObject'],
      resources: [failedBatches.arnForObjects('aws/lambda/*')],
      wildcard: 'Lambda gives each failed batch a key of its own; the bucket has nothing else.',
    },
  ]);
  const mapping = new CfnEventSourceMapping(scope, `${id}Source`, {
    eventSourceArn: streamArn,
    functionName: target.functionArn,
    // So that no change from before the mapping existed is lost.
    startingPosition: 'TRIM_HORIZON',
    batchSize: 100,
    maximumBatchingWindowInSeconds: 0,
    // With more, only the changes of one item would stay in order. Two events of a contact are two items, and so are two messages.
    parallelizationFactor: 1,
    filterCriteria: { filters: filtersOf(plan.operations.map(({ operation }) => operation)) },
    bisectBatchOnFunctionError: true,
    functionResponseTypes: ['ReportBatchItemFailures'],
    maximumRetryAttempts: 5,
    maximumRecordAgeInSeconds: oldest[plan.operations[0].operation.reader].toSeconds(),
    // Only a bucket gets the changes themselves; a queue would get their position in a stream that deletes them within a day.
    destinationConfig: { onFailure: { destination: failedBatches.bucketArn } },
    metricsConfig: { metrics: ['EventCount'] },
  });
  return { function: target, mapping };
}

/** The filters for all operations, one for each kind of change and, where that matters, of partition: a mapping may have five. */
function filtersOf(operations: readonly StreamOperation[]): { pattern: string }[] {
  const asked = operations.flatMap((operation) => {
    const { sortPrefix, partitionPrefix = '' } = operation.on;
    return changeKinds(operation).map((change) => ({ change, sortPrefix, partitionPrefix }));
  });
  const alike = Map.groupBy(asked, ({ change, partitionPrefix }) => `${change} ${partitionPrefix}`);
  return [...alike.values()].map((some) => {
    const [{ change, partitionPrefix } = { change: '', partitionPrefix: '' }] = some;
    const Keys = {
      ...prefixed('pk', [partitionPrefix]),
      ...prefixed(
        'sk',
        some.map(({ sortPrefix }) => sortPrefix),
      ),
    };
    return { pattern: JSON.stringify({ eventName: [change], dynamodb: { Keys } }) };
  });
}

/** The rule for a key that begins with one of these; none if any will do. */
function prefixed(key: 'pk' | 'sk', prefixes: readonly string[]) {
  const S = [...new Set(prefixes)].map((prefix) => ({ prefix }));
  return prefixes.includes('') ? {} : { [key]: { S } };
}
