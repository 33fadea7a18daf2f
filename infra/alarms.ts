import {
  Alarm,
  ComparisonOperator,
  Metric,
  type MetricProps,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { HttpApi } from './http-api.ts';
import type { ConsumerFunction } from './queues.ts';
import type { ScheduledFunction } from './scheduled-function.ts';
import type { SocketApi } from './socket-api.ts';
import type { ReaderFunction } from './stream-reader.ts';

/** The alarms, which notify whoever subscribes to their one topic. */
export class Alarms extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string) {
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
  }

  watchHttp({ id, stage }: HttpApi): void {
    this.#alarm(this, 'HttpServerErrors', 'The HTTP API answers with server errors.', 5, {
      namespace: 'AWS/ApiGateway',
      metricName: '5xx',
      dimensionsMap: { ApiId: id, Stage: stage },
    });
  }

  watchSockets({ id, stage }: SocketApi): void {
    for (const metricName of ['ExecutionError', 'IntegrationError']) {
      this.#alarm(this, `Socket${metricName}s`, 'The WebSocket API fails to run its functions.', 5, {
        namespace: 'AWS/ApiGateway',
        metricName,
        dimensionsMap: { ApiId: id, Stage: stage },
      });
    }
  }

  /** One alarm for all functions, on their common log: one for each of a hundred would cost more and say no more. */
  watchFunctions(logGroup: ILogGroup): void {
    const namespace = Stack.of(this).stackName;
    const metricName = 'Defects';
    new MetricFilter(this, 'DefectFilter', {
      logGroup,
      metricNamespace: namespace,
      metricName,
      // A defect that the kernel caught; an error that nothing caught; a function that the platform ended.
      filterPattern: FilterPattern.literal(
        '{ ($.level = "error") || ($.level = "ERROR") || (($.type = "platform.report") && ($.record.status != "success")) }',
      ),
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
    this.#alarm(scope, `${id}Errors`, 'A reader of the stream fails; its changes are tried again.', 3, {
      namespace: 'AWS/Lambda',
      metricName: 'Errors',
      dimensionsMap,
    });
    this.#alarm(scope, `${id}Age`, 'A reader of the stream is more than a minute behind.', 60_000, {
      namespace: 'AWS/Lambda',
      metricName: 'IteratorAge',
      statistic: 'Maximum',
      dimensionsMap,
    });
    this.#alarm(
      scope,
      `${id}GivenUp`,
      'A reader of the stream gave changes up. Mend the cause, then run `npm run redrive`.',
      1,
      {
        namespace: 'AWS/Lambda',
        metricName: 'OnFailureDestinationDeliveredEventCount',
        dimensionsMap: { EventSourceMappingUUID: mapping.ref },
      },
    );
  }

  watchQueue(scope: Construct, id: string, { queue, deadLetters }: ConsumerFunction): void {
    this.#alarm(
      scope,
      `${id}GivenUp`,
      'Messages of a queue failed too often. Mend the cause, then run `npm run redrive`.',
      1,
      {
        namespace: 'AWS/SQS',
        metricName: 'ApproximateNumberOfMessagesVisible',
        statistic: 'Maximum',
        dimensionsMap: { QueueName: deadLetters.queueName },
      },
    );
    this.#alarm(scope, `${id}Waiting`, 'The oldest message of a queue has waited for 20 minutes.', 20 * 60, {
      namespace: 'AWS/SQS',
      metricName: 'ApproximateAgeOfOldestMessage',
      statistic: 'Maximum',
      dimensionsMap: { QueueName: queue.queueName },
    });
  }

  watchSchedule(scope: Construct, id: string, { function: target, rule }: ScheduledFunction): void {
    this.#alarm(scope, `${id}Errors`, 'What runs by the clock fails; the next run takes up its work.', 3, {
      namespace: 'AWS/Lambda',
      metricName: 'Errors',
      dimensionsMap: { FunctionName: target.functionName },
    });
    this.#alarm(scope, `${id}LeftOut`, 'What runs by the clock is not run.', 1, {
      namespace: 'AWS/Events',
      metricName: 'FailedInvocations',
      dimensionsMap: { RuleName: rule.ruleName },
    });
  }

  /** An alarm when the sum (or the given statistic) over 5 minutes reaches `threshold`. */
  #alarm(
    scope: Construct,
    id: string,
    alarmDescription: string,
    threshold: number,
    metric: MetricProps,
  ): void {
    new Alarm(scope, `${id}Alarm`, {
      alarmDescription,
      metric: new Metric({ period: Duration.minutes(5), statistic: 'Sum', ...metric }),
      threshold,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    }).addAlarmAction(new SnsAction(this.topic));
  }
}
