import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  Metric,
  type MetricProps,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { type QueueName, unhurriedQueues } from '../../shared/kernel/message-queue.ts';
import type { Settings } from '../settings.ts';
import { monthlyBudget } from './budget.ts';
import type { HttpApi } from './http-api.ts';
import type { ConsumerFunction } from './queues.ts';
import type { ScheduledFunction } from './scheduled-function.ts';
import type { SocketApi } from './socket-api.ts';
import type { ReaderFunction } from './stream-reader.ts';

/**
 * The log lines of defects: unexpected errors in the kernel, which have a level, a status or a `defect`; uncaught errors; functions that
 * the platform has ended. Several patterns match the same defect, because Lambda may change the level of a line.
 */
const defects = [
  '$.level = "error"',
  '$.level = "ERROR"',
  '$.status >= 500',
  '$.defect.name = "*"',
  '$.defect.thrown = "*"',
  '$.type = "platform.report" && $.record.status != "success"',
];

/**
 * The alarms. They share one topic, and each costs 0.10 dollars a month, so they ring for what somebody notices. A table that throttles or
 * has conflicts is a cause: requests are tried again, and what fails nevertheless is a defect, slow, late or given up.
 */
export class Alarms extends Construct {
  readonly topic: Topic;
  /** Every alarm that was made so far. */
  readonly all: Alarm[] = [];

  constructor(scope: Construct, id: string, { alarmEmail, budget }: Settings) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', { displayName: 'Switchboard alarms', enforceSSL: true });
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (alarmEmail !== undefined) {
      this.topic.addSubscription(new EmailSubscription(alarmEmail));
    }
    if (budget !== undefined) {
      monthlyBudget(this, budget, this.topic);
    }
  }

  watchHttp({ id, stage }: HttpApi): void {
    const ofApi = { namespace: 'AWS/ApiGateway', dimensionsMap: { ApiId: id, Stage: stage } };
    this.#alarm(this, 'HttpServerErrors', 'The HTTP API returns server errors.', 5, {
      ...ofApi,
      metricName: '5xx',
    });
    const slow = 'For a quarter of an hour, one request in a hundred has taken more than three seconds.';
    this.#alarm(
      this,
      'HttpLatency',
      slow,
      3_000,
      { ...ofApi, metricName: 'Latency', statistic: 'p99' },
      // A single export would decide among fewer than a thousand requests in five minutes.
      { evaluationPeriods: 3, evaluateLowSampleCountPercentile: 'ignore' },
    );
  }

  /** A function of the socket that fails is a defect; this is for what the gateway cannot do. */
  watchSockets({ id, stage }: SocketApi): void {
    this.#alarm(this, 'SocketExecutionErrors', 'The WebSocket API fails to run its functions.', 5, {
      namespace: 'AWS/ApiGateway',
      metricName: 'ExecutionError',
      dimensionsMap: { ApiId: id, Stage: stage },
    });
  }

  /** One alarm for all functions, on their common log: a hundred alarms would cost more without telling more. */
  watchFunctions(logGroup: ILogGroup): void {
    const namespace = Stack.of(this).stackName;
    const metricName = 'Defects';
    new MetricFilter(this, 'DefectFilter', {
      logGroup,
      metricNamespace: namespace,
      metricName,
      filterPattern: FilterPattern.literal(`{ ${defects.map((sign) => `(${sign})`).join(' || ')} }`),
      metricValue: '1',
    });
    this.#alarm(this, 'Defects', 'Functions fail; their log says why.', 1, { namespace, metricName });
    // Concurrency belongs to the account, and so does throttling.
    this.#alarm(this, 'Throttles', 'Functions are throttled: the account needs more concurrency.', 1, {
      namespace: 'AWS/Lambda',
      metricName: 'Throttles',
    });
  }

  watchReader(scope: Construct, id: string, { function: target, mapping }: ReaderFunction): void {
    const dimensionsMap = { FunctionName: target.functionName };
    this.#alarm(scope, `${id}Age`, 'A reader of the stream is more than a minute behind.', 60_000, {
      namespace: 'AWS/Lambda',
      metricName: 'IteratorAge',
      statistic: 'Maximum',
      dimensionsMap,
    });
    this.#alarm(
      scope,
      `${id}GivenUp`,
      'A reader of the stream gave up on changes. Fix the cause, then run `npm run redrive`.',
      1,
      {
        namespace: 'AWS/Lambda',
        metricName: 'OnFailureDestinationDeliveredEventCount',
        dimensionsMap: { EventSourceMappingUUID: mapping.ref },
      },
    );
  }

  /** For a reader whose changes must not be lost: nobody misses a live event of an hour ago. */
  watchLosses(scope: Construct, id: string, { function: target }: ReaderFunction): void {
    this.#alarm(
      scope,
      `${id}Lost`,
      'The bucket for failed batches did not take changes that a reader of the stream gave up: they are lost.',
      1,
      {
        namespace: 'AWS/Lambda',
        metricName: 'DestinationDeliveryFailures',
        dimensionsMap: { FunctionName: target.functionName },
      },
    );
  }

  watchDeadLetters(scope: Construct, { queueName, node }: Queue): void {
    this.#alarm(
      scope,
      node.id,
      'Messages of a queue failed too often. Fix the cause, then run `npm run redrive`.',
      1,
      {
        namespace: 'AWS/SQS',
        metricName: 'ApproximateNumberOfMessagesVisible',
        statistic: 'Maximum',
        dimensionsMap: { QueueName: queueName },
      },
    );
  }

  watchQueue(scope: Construct, id: string, name: QueueName, { queue }: ConsumerFunction): void {
    if (unhurriedQueues.has(name)) {
      return;
    }
    this.#alarm(scope, `${id}Waiting`, 'The oldest message of a queue has waited for 20 minutes.', 20 * 60, {
      namespace: 'AWS/SQS',
      metricName: 'ApproximateAgeOfOldestMessage',
      statistic: 'Maximum',
      dimensionsMap: { QueueName: queue.queueName },
    });
  }

  /**
   * Runs that do not take place. A run that fails is a defect, one that finds no free function is throttled, and the next one continues its
   * work.
   */
  watchSchedule(scope: Construct, id: string, { function: target, everyMinutes }: ScheduledFunction): void {
    const ofFunction = { namespace: 'AWS/Lambda', dimensionsMap: { FunctionName: target.functionName } };
    // No metric counts a run that does not take place, so the alarm goes off when the metric is missing.
    this.#alarm(
      scope,
      `${id}LeftOut`,
      'Scheduled work does not run.',
      1,
      {
        ...ofFunction,
        metricName: 'Invocations',
        period: Duration.minutes(Math.max(5, 2 * everyMinutes)),
      },
      {
        comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.BREACHING,
      },
    );
  }

  /** An alarm when the sum (or the given statistic) over 5 minutes reaches `threshold`, unless stated otherwise. */
  #alarm(
    scope: Construct,
    id: string,
    alarmDescription: string,
    threshold: number,
    metric: MetricProps,
    more: Partial<AlarmProps> = {},
  ): void {
    const alarm = new Alarm(scope, `${id}Alarm`, {
      alarmDescription,
      metric: new Metric({ period: Duration.minutes(5), statistic: 'Sum', ...metric }),
      threshold,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...more,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    this.all.push(alarm);
  }
}
