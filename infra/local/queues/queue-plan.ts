import * as z from 'zod';
import { functionNameIn, read, unsupported } from '../template/plan.ts';
import type { Resources } from '../template/resources.ts';
import type { QueuePlan } from './queue.ts';

const second = 1000;

const Queue = z.object({
  FifoQueue: z.boolean().default(false),
  DelaySeconds: z.number().default(0),
  MaximumMessageSize: z.number().default(1_048_576),
  MessageRetentionPeriod: z.number().default(345_600),
  VisibilityTimeout: z.number().default(30),
  RedrivePolicy: z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.number() }).optional(),
});

const Mapping = z.object({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  BatchSize: z.number().max(10, { error: 'the local host supports only batches of at most 10' }).default(10),
  MaximumBatchingWindowInSeconds: z.number().default(0),
  FunctionResponseTypes: z.array(z.string()).default([]),
  FilterCriteria: unsupported('filters of messages'),
  ScalingConfig: z.object({ MaximumConcurrency: z.number() }).optional(),
  Enabled: z.literal(true, { error: 'the local host does not support disabled mappings' }).optional(),
});

/** An event source mapping: the function that gets the messages of a queue, and how it gets them. */
export interface QueueMapping {
  /** Identifies the mapping across assemblies. */
  readonly id: string;
  readonly queue: string;
  readonly queueArn: string;
  readonly functionName: string;
  readonly batchSize: number;
  /** Milliseconds to wait for a full batch. */
  readonly window: number;
  readonly reportsFailures: boolean;
  readonly maxBatches: number;
}

/** The queues, with their times in milliseconds. @throws for a queue that this host cannot run. */
export function queuePlans(resources: Resources): QueuePlan[] {
  return resources.ofType('AWS::SQS::Queue').map((resource) => {
    const queue = read(resources, resource, Queue);
    const { RedrivePolicy: policy } = queue;
    return {
      name: resources.physicalName(resource),
      isOrdered: queue.FifoQueue,
      delay: queue.DelaySeconds * second,
      retention: queue.MessageRetentionPeriod * second,
      visibilityTimeout: queue.VisibilityTimeout * second,
      maxBytes: queue.MaximumMessageSize,
      redrive: policy && {
        deadLetters: queueNameIn(policy.deadLetterTargetArn),
        maxReceives: policy.maxReceiveCount,
      },
    };
  });
}

/** The mappings of queues; those of the table's stream are in `template/plan.ts`. @throws for one that this host cannot run. */
export function queueMappings(resources: Resources): QueueMapping[] {
  return resources.ofType('AWS::Lambda::EventSourceMapping').flatMap((resource) => {
    const { EventSourceArn: queueArn } = read(resources, resource, z.object({ EventSourceArn: z.string() }));
    if (!queueArn.includes(':sqs:')) {
      return [];
    }
    const mapping = read(resources, resource, Mapping);
    return {
      id: `${resource.stack.name}/${resource.logicalId}`,
      queue: queueNameIn(queueArn),
      queueArn,
      functionName: functionNameIn(mapping.FunctionName),
      batchSize: mapping.BatchSize,
      window: mapping.MaximumBatchingWindowInSeconds * second,
      reportsFailures: mapping.FunctionResponseTypes.includes('ReportBatchItemFailures'),
      maxBatches: mapping.ScalingConfig?.MaximumConcurrency ?? 5,
    };
  });
}

/** The name of the queue with this ARN or URL. */
export function queueNameIn(reference: string): string {
  return reference.split(/[:/]/).at(-1) ?? reference;
}
