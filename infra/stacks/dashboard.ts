import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  Metric,
  type MetricProps,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Duration, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { HttpApi } from './http-api.ts';
import type { SocketApi } from './socket-api.ts';

export interface Shown {
  readonly httpApi: HttpApi;
  readonly socketApi: SocketApi;
  readonly tableName: string;
  readonly alarms: readonly IAlarm[];
  /** The functions that read the table's stream, by their titles on the dashboard. */
  readonly readers: ReadonlyMap<string, string>;
  /** The names of queues, likewise. */
  readonly queues: ReadonlyMap<string, string>;
}

/** A page with the state of every alarm, and graphs by minute. */
export function dashboard(
  scope: Construct,
  { httpApi, socketApi, tableName, alarms, readers, queues }: Shown,
): void {
  const ofHttp = of('AWS/ApiGateway', { ApiId: httpApi.id, Stage: httpApi.stage });
  const ofSockets = of('AWS/ApiGateway', { ApiId: socketApi.id, Stage: socketApi.stage });
  const ofTable = of('AWS/DynamoDB', { TableName: tableName });
  const ofAccount = of('AWS/Lambda', {});
  new Dashboard(scope, 'Dashboard', {
    dashboardName: Stack.of(scope).stackName,
    defaultInterval: Duration.hours(3),
    widgets: [
      [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 24, height: 6 })],
      [
        graph('Requests', ofHttp('Count')),
        graph('Errors', ofHttp('5xx', 'server'), ofHttp('4xx', 'client')),
        graph('Latency', ofHttp('Latency', 'p50', 'p50'), ofHttp('Latency', 'p99', 'p99')),
      ],
      [
        graph(
          'Units of the table',
          ofTable('ConsumedReadCapacityUnits', 'read'),
          ofTable('ConsumedWriteCapacityUnits', 'write'),
        ),
        graph(
          'Refused by the table',
          ofTable('ReadThrottleEvents', 'reads'),
          ofTable('WriteThrottleEvents', 'writes'),
          ofTable('TransactionConflict', 'conflicts'),
        ),
        graph(
          'Functions of the account',
          ofAccount('ConcurrentExecutions', 'at the same time', 'Maximum'),
          ofAccount('Throttles', 'throttled'),
        ),
      ],
      [
        graph(
          'Age of what readers of the stream read',
          ...[...readers].map(([label, FunctionName]) =>
            of('AWS/Lambda', { FunctionName })('IteratorAge', label, 'Maximum'),
          ),
        ),
        graph(
          'Messages in queues',
          ...[...queues].map(([label, QueueName]) =>
            of('AWS/SQS', { QueueName })('ApproximateNumberOfMessagesVisible', label, 'Maximum'),
          ),
        ),
        graph(
          'WebSocket',
          ofSockets('ConnectCount', 'connections'),
          ofSockets('MessageCount', 'frames'),
          ofSockets('ExecutionError', 'errors'),
        ),
      ],
    ],
  });
}

/** Makes metrics with these dimensions: a sum over each minute, unless stated otherwise. */
function of(namespace: string, dimensionsMap: NonNullable<MetricProps['dimensionsMap']>) {
  return (metricName: string, label: string = metricName, statistic = 'Sum') =>
    new Metric({ namespace, dimensionsMap, metricName, label, statistic, period: Duration.minutes(1) });
}

function graph(title: string, ...left: Metric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8 });
}
