import { CfnEventSourceMapping, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
  type QueueProps,
} from 'aws-cdk-lib/aws-sqs';
import { Duration, NestedStack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { maxDeliveries, type QueueName, queues, unhurriedQueues } from '../../shared/kernel/message-queue.ts';
import { givenUpKeptFor } from '../../shared/kernel/providers/given-up.ts';
import type { FunctionPlan } from '../function-plan.ts';
import { pascalCase } from '../pascal-case.ts';
import { type Platform, plannedFunction, queueTimeLimit } from './operation-function.ts';

/** A queue and its dead-letter queue, which may be that of other queues, too: SQS knows where each message came from. */
export interface QueuePair {
  readonly queue: Queue;
  readonly deadLetters: Queue;
}

/** A queue's consumer. */
export interface ConsumerFunction extends QueuePair {
  readonly function: LambdaFunction;
}

/** Deliveries of a message of an ordered queue before it goes to the dead-letter queue: nobody waits for a live event for longer than some minutes. */
const maxOrderedDeliveries = 5;

/**
 * AWS recommends six times the time limit of the consumer, so that a batch that waits for a free function is not delivered again. In an
 * ordered queue, the later messages of an organization wait for one that has failed, so it comes again as soon as may be.
 */
const visibilityFactor = { ordered: 1, other: 6 };

/**
 * Batches handled at the same time. Messages may wait a little longer, and must not take functions from people who wait for a response.
 */
const maxBatches = 5;

/** The same for the queue whose messages may wait for an answer from outside: a receiver that never answers holds a batch for ten seconds. */
const maxWaitingBatches = 20;

/** The same for an ordered queue. */
const maxOrderedBatches = 100;

const encrypted: QueueProps = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };

/** An ordered queue: for each group as fast as the sender, and a message that is sent again within 5 minutes is dropped. */
const ordered: QueueProps = {
  fifo: true,
  contentBasedDeduplication: true,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
};

/** The queues, in a nested stack; each is created when it is first requested. */
export class Queues extends Construct {
  readonly #pairs = new Map<QueueName, QueuePair>();
  readonly #deadLetters = new Map<string, Queue>();
  #stack: NestedStack | undefined;

  of(name: QueueName): QueuePair {
    const pair = this.#pairs.get(name) ?? this.#make(name);
    this.#pairs.set(name, pair);
    return pair;
  }

  /**
   * With a group in each message, no organization's messages wait for those of another: a standard queue is fair, and an ordered one
   * knows only groups.
   */
  #make(name: QueueName): QueuePair {
    const isOrdered = queues[name] === 'orderedQueue';
    const kind = isOrdered ? ordered : {};
    const factor = visibilityFactor[isOrdered ? 'ordered' : 'other'];
    // A queue with another logical id would replace the one that is deployed, with the requests in it.
    const id = name === 'deferredRequests' ? 'KeptRequests' : name.charAt(0).toUpperCase() + name.slice(1);
    // CloudFormation refuses a stack without resources, so there is none without queues.
    this.#stack ??= new NestedStack(this, 'Stack', { description: 'Switchboard: the queues' });
    const deadLetters = this.#deadLettersOf(this.#stack, name);
    const queue = new Queue(this.#stack, id, {
      ...encrypted,
      ...kind,
      retentionPeriod: Duration.days(4),
      maxMessageSizeBytes: 1024 * 1024,
      visibilityTimeout: Duration.millis(factor * queueTimeLimit(name)),
      deadLetterQueue: {
        queue: deadLetters,
        maxReceiveCount: isOrdered ? maxOrderedDeliveries : maxDeliveries,
      },
    });
    return { queue, deadLetters };
  }

  /**
   * An alarm on each dead-letter queue costs more than the queue, so queues share one; an ordered queue needs one that is ordered. Deferred
   * requests have their own: their letters have content, which the function that erases contacts reads and deletes, and it may reach no others.
   */
  #deadLettersOf(stack: NestedStack, name: QueueName): Queue {
    const isOrdered = queues[name] === 'orderedQueue';
    const shared = isOrdered ? 'OrderedDeadLetters' : 'DeadLetters';
    const id = name === 'deferredRequests' ? 'KeptRequestsDeadLetters' : shared;
    const deadLetters =
      this.#deadLetters.get(id) ??
      new Queue(stack, id, {
        ...encrypted,
        ...(isOrdered ? ordered : {}),
        // As long as possible. The time of a message in the other queue counts, too.
        retentionPeriod: Duration.millis(givenUpKeptFor),
      });
    this.#deadLetters.set(id, deadLetters);
    return deadLetters;
  }
}

/** The function that takes the messages of a queue. */
export function queueConsumer(
  scope: Construct,
  plan: FunctionPlan,
  name: QueueName,
  pair: QueuePair,
  platform: Platform,
): ConsumerFunction {
  const { queueArn } = pair.queue;
  const target = plannedFunction(scope, plan, platform, [
    {
      actions: ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
      resources: [queueArn],
    },
  ]);
  new CfnEventSourceMapping(scope, `${pascalCase(plan.name)}Source`, {
    eventSourceArn: queueArn,
    functionName: target.functionArn,
    // Alone, events of an ordered queue wait for no other organization.
    batchSize: pair.queue.fifo || unhurriedQueues.has(name) ? 1 : 10,
    functionResponseTypes: ['ReportBatchItemFailures'],
    scalingConfig: { maximumConcurrency: batchesAtOnce(name) },
  });
  return { ...pair, function: target };
}

function batchesAtOnce(name: QueueName): number {
  const others = name === 'workflowRuns' ? maxWaitingBatches : maxBatches;
  return queues[name] === 'orderedQueue' ? maxOrderedBatches : others;
}
