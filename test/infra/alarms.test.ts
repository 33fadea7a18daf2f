import { afterAll, expect, test } from 'vitest';
import { synthesized } from './synthesized.ts';

const app = await synthesized();
afterAll(() => app.remove());

test('Alarms ring for server errors, slowness, defects, throttling, conflicts, a late consumer, messages that wait or are given up, changes given up and a schedule that is not kept, and all reach the topic', () => {
  const alarms = app.ofType('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
  expect(new Set(alarms.map(({ MetricName }) => MetricName))).toEqual(
    new Set([
      '5xx',
      'ApproximateAgeOfOldestMessage',
      'ApproximateNumberOfMessagesVisible',
      'AsyncEventsDropped',
      'Defects',
      'Errors',
      'ExecutionError',
      'IntegrationError',
      'Invocations',
      'IteratorAge',
      'Latency',
      'OnFailureDestinationDeliveredEventCount',
      'ReadThrottleEvents',
      'Throttles',
      'TransactionConflict',
      'WriteThrottleEvents',
    ]),
  );
  expect(alarms.every(({ AlarmActions }) => AlarmActions.length === 1)).toBe(true);
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
