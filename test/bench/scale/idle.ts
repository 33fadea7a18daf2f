import { hoursOfMonth, prices } from './prices.ts';
import { type Resource, resourcesWithType, type Template } from './templates.ts';

/** The monthly price of a part of the product that nobody uses. */
export interface Position {
  readonly what: string;
  readonly count: number;
  readonly dollars: number;
}

/** Long polls that Lambda keeps open at a queue. Source: AWS Lambda developer guide, "Using Lambda with Amazon SQS". */
const polls = { pollers: 5, seconds: 20 };
const secondsOfMonth = hoursOfMonth * 3_600;

/** Milliseconds of a run that finds nothing to do. */
const emptyRun = 50;

/** The price of the resources of these templates while nobody uses them. Without data, storage and logs cost nothing. */
export function idleCost(templates: readonly Template[]): Position[] {
  const ofType = (type: string) => resourcesWithType(templates, type);
  const priced = (what: string, type: string, dollars: number): Position => {
    const count = ofType(type).length;
    return { what, count, dollars: count * dollars };
  };
  const queues = ofType('AWS::Lambda::EventSourceMapping').filter(({ Properties }) => isOfQueue(Properties));
  const runs = ofType('AWS::Events::Rule').reduce((sum, { Properties }) => sum + runsOf(Properties), 0);
  const polled = (secondsOfMonth / polls.seconds) * polls.pollers;
  const ordered = ofType('AWS::SQS::Queue').filter(
    ({ Properties: { FifoQueue: isOrdered, RedrivePolicy: policy } = {} }) => isOrdered && policy,
  ).length;
  const perPoll =
    (queues.length - ordered) * prices.million.queueRequests + ordered * prices.million.orderedQueueRequests;
  const run = (emptyRun / 1_000) * prices.functionSecond + prices.million.functionRequests / 1e6;
  return [
    priced('alarms', 'AWS::CloudWatch::Alarm', prices.month.alarm),
    priced('secrets', 'AWS::SecretsManager::Secret', prices.month.secret),
    priced('dashboards', 'AWS::CloudWatch::Dashboard', prices.month.dashboard),
    priced('keys of encryption', 'AWS::KMS::Key', prices.month.key),
    { what: 'polls of queues', count: polled * queues.length, dollars: (polled * perPoll) / 1e6 },
    { what: 'runs by the clock', count: runs, dollars: runs * run },
  ];
}

function isOfQueue(properties: Resource['Properties'] = {}): boolean {
  return !('StartingPosition' in properties);
}

/** How many times a rule invokes functions in a month. */
function runsOf({
  ScheduleExpression: text = '',
  Targets: targets = [],
}: Resource['Properties'] = {}): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(String(text)) ?? [];
  if (count === undefined) {
    return 0;
  }
  const seconds = { minute: 60, hour: 3_600, day: 86_400 }[unit ?? ''] ?? 0;
  return (secondsOfMonth / (Number(count) * seconds)) * (targets as unknown[]).length;
}
