import { afterAll, expect, test } from 'vitest';
import { synthesized } from './synthesized.ts';

const app = await synthesized();
afterAll(() => app.remove());

const [filter] = app.ofType('AWS::Logs::MetricFilter');

/**
 * What an alarm watches: a metric, with the dimensions by which its service publishes it. Sources: the services' pages on their metrics.
 */
const watched = [
  'AWS/ApiGateway 5xx of ApiId, Stage',
  'AWS/ApiGateway ExecutionError of ApiId, Stage',
  'AWS/ApiGateway Latency of ApiId, Stage',
  'AWS/Lambda DestinationDeliveryFailures of FunctionName',
  'AWS/Lambda Invocations of FunctionName',
  'AWS/Lambda IteratorAge of FunctionName',
  'AWS/Lambda OnFailureDestinationDeliveredEventCount of EventSourceMappingUUID',
  'AWS/Lambda Throttles of the account',
  'AWS/SQS ApproximateAgeOfOldestMessage of QueueName',
  'AWS/SQS ApproximateNumberOfMessagesVisible of QueueName',
  'Switchboard-dev Defects of the account',
];

test('Alarms ring for server errors, slowness, defects, throttled functions, a late consumer, messages that wait or are given up, changes given up or lost and a schedule that is not kept, and all reach the topic', () => {
  const alarms = app.ofType('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
  const metrics = alarms.map(({ Namespace, MetricName, Dimensions = [] }) => {
    const names = Dimensions.map(({ Name }: { Name: string }) => Name).sort();
    return `${Namespace} ${MetricName} of ${names.join(', ') || 'the account'}`;
  });
  expect([...new Set(metrics)].sort()).toEqual(watched);
  expect(alarms.every(({ AlarmActions }) => AlarmActions.length === 1)).toBe(true);
});

test('The metric of defects is that which their alarm watches', () => {
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

const pattern: string = filter?.Properties.FilterPattern ?? '';

/** Whether CloudWatch counts the line, as far as the pattern uses its language: alternatives of conditions on fields. */
function isCounted(line: object): boolean {
  expect(pattern).toMatch(/^\{ \(.+\) \}$/);
  return pattern
    .slice(3, -3)
    .split(') || (')
    .some((alternative) => alternative.split(' && ').every((condition) => holds(condition, line)));
}

function holds(condition: string, line: object): boolean {
  const [, path = '', operator, text, number] =
    /^\$\.([\w.]+) (=|!=|>=) (?:"([^"]*)"|(\d+))$/.exec(condition) ?? [];
  const value = path
    .split('.')
    .reduce<unknown>((within, name) => (within as Record<string, unknown> | undefined)?.[name], line);
  switch (operator) {
    case '=':
      return text === '*' ? value !== undefined : value === text;
    case '!=':
      return value !== undefined && value !== text;
    case '>=':
      return typeof value === 'number' && value >= Number(number);
    default:
      throw new Error(`The condition ${condition} is not understood here.`);
  }
}

const defect = { name: 'TypeError', message: 'Cannot read properties of undefined' };

test.each([
  ['a defect', { level: 'error', operation: 'list-contacts', status: 500, defect }],
  ['a defect whose level Lambda has changed', { level: 'INFO', operation: 'list-contacts', defect }],
  [
    'something thrown that is not an error',
    { level: 'INFO', operation: 'authorize', defect: { thrown: '7' } },
  ],
  ['a failure of the table', { level: 'INFO', operation: 'list-contacts', status: 503 }],
  ['a problem with a secret', { level: 'error', port: 'sms', problem: 'not filled' }],
  ['an error that nothing caught', { level: 'ERROR', message: { errorType: 'SyntaxError' } }],
  ['a function that ran out of time', { type: 'platform.report', record: { status: 'timeout' } }],
  ['a function that ran out of memory', { type: 'platform.report', record: { status: 'error' } }],
])('The alarm for defects counts %s', (_, line) => {
  expect(isCounted(line)).toBe(true);
});

test.each([
  ['a success', { level: 'info', operation: 'list-contacts', status: 200 }],
  ['what a client can correct', { level: 'info', operation: 'create-contact', status: 409, cause: defect }],
  ['a run by the clock', { level: 'info', operation: 'run-due-operations', fired: 3 }],
  ['a warning', { level: 'warn', problem: 'no native code' }],
  ['the platform’s report of a success', { type: 'platform.report', record: { status: 'success' } }],
  ['the platform’s start of a function', { type: 'platform.initStart', record: { phase: 'init' } }],
])('The alarm for defects does not count %s', (_, line) => {
  expect(isCounted(line)).toBe(false);
});

test('The pattern is not longer than CloudWatch takes', () => {
  expect(pattern.length).toBeLessThanOrEqual(1_024);
});
