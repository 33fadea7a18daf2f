import { afterAll, expect, test } from 'vitest';
import { synthesized } from './synthesized.ts';

const app = await synthesized();
afterAll(() => app.remove());

/**
 * What an alarm watches: a metric, with the dimensions by which its service publishes it. Sources: the services' pages on their metrics.
 */
const watched = [
  'AWS/ApiGateway 5xx of ApiId, Stage',
  'AWS/ApiGateway ExecutionError of ApiId, Stage',
  'AWS/ApiGateway IntegrationError of ApiId, Stage',
  'AWS/ApiGateway Latency of ApiId, Stage',
  'AWS/DynamoDB ReadThrottleEvents of TableName',
  'AWS/DynamoDB TransactionConflict of TableName',
  'AWS/DynamoDB WriteThrottleEvents of TableName',
  'AWS/Lambda AsyncEventsDropped of FunctionName',
  'AWS/Lambda DestinationDeliveryFailures of FunctionName',
  'AWS/Lambda Errors of FunctionName',
  'AWS/Lambda Invocations of FunctionName',
  'AWS/Lambda IteratorAge of FunctionName',
  'AWS/Lambda OnFailureDestinationDeliveredEventCount of EventSourceMappingUUID',
  'AWS/Lambda Throttles of the account',
  'AWS/SQS ApproximateAgeOfOldestMessage of QueueName',
  'AWS/SQS ApproximateNumberOfMessagesVisible of QueueName',
  'Switchboard-dev Defects of the account',
];

test('Alarms ring for server errors, slowness, defects, throttling, conflicts, a late consumer, messages that wait or are given up, changes given up or lost and a schedule that is not kept, and all reach the topic', () => {
  const alarms = app.ofType('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
  const metrics = alarms.map(({ Namespace, MetricName, Dimensions = [] }) => {
    const names = Dimensions.map(({ Name }: { Name: string }) => Name).sort();
    return `${Namespace} ${MetricName} of ${names.join(', ') || 'the account'}`;
  });
  expect([...new Set(metrics)].sort()).toEqual(watched);
  expect(alarms.every(({ AlarmActions }) => AlarmActions.length === 1)).toBe(true);
});

test('The metric of defects is that which their alarm watches', () => {
  const [filter] = app.ofType('AWS::Logs::MetricFilter');
  const [{ MetricNamespace, MetricName } = { MetricNamespace: '', MetricName: '' }] =
    filter?.Properties.MetricTransformations ?? [];
  expect(`${MetricNamespace} ${MetricName} of the account`).toBe(watched.at(-1));
});

test('An alarm for the slowest requests waits for enough of them to tell, and for a quarter of an hour', () => {
  const slow = app
    .ofType('AWS::CloudWatch::Alarm')
    .find(({ Properties }) => Properties.MetricName === 'Latency');
  expect(slow?.Properties).toMatchObject({
    ExtendedStatistic: 'p99',
    EvaluateLowSampleCountPercentile: 'ignore',
    EvaluationPeriods: 3,
    Period: 300,
  });
});
