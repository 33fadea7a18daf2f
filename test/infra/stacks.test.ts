import { isDeepStrictEqual } from 'node:util';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Duration } from 'aws-cdk-lib/core';
import { afterAll, expect, test } from 'vitest';
import { planFunctions, queueConsumers, streamReaders } from '../../infra/function-plan.ts';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { longestCall } from '../../shared/events/event-log.ts';
import type { Uses } from '../../shared/kernel/operation.ts';
import { second } from '../../shared/kernel/time.ts';
import { portUses, stepPortUses } from '../../shared/kernel/uses.ts';
import { behind, functionNamed, mappingNamed, referenced, synthesized } from './synthesized.ts';

const registered = await loadOperations();
const app = await synthesized();
afterAll(() => app.remove());

/** All it ever writes is that an export is about to be stored. */
const writesNoEvent = 'read-separation-data';

for (const { name, trigger, operations: run, steps = [] } of planFunctions(registered)) {
  const [{ operation }] = run;

  test(`The function of ${name} states its runtime, processor, memory and time limit`, () => {
    const { Properties } = functionNamed(app, name);
    expect(Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
    });
    expect(Properties.MemorySize).toBeGreaterThanOrEqual(512);
    expect(Properties.Timeout).toBeGreaterThan(0);
    expect(Properties.Timeout).toBeLessThanOrEqual(
      ['stream', 'queue', 'deployment'].includes(trigger) ? 30 : 29,
    );
    const makesEvents = ['http', 'deferred', 'schedule'].includes(trigger);
    if (makesEvents && JSON.stringify(operation.uses).includes('write')) {
      // An event may appear until its call has ended; those who resume read so far back.
      expect(Properties.Timeout * second).toBeLessThanOrEqual(longestCall);
      expect(Properties.Timeout <= 10 || name === writesNoEvent).toBe(true);
    }
  });

  test(`The function of ${name} knows where its ports are, and nothing about the others`, () => {
    const all = [
      ...run.map(({ operation }) => (trigger === 'deferred' ? operation.uses : portUses(operation))),
      ...steps.map(({ operation }) => stepPortUses(operation)),
    ];
    const uses: Uses = Object.assign({}, ...all);
    const queues: ReadonlySet<string> = new Set(all.flatMap(({ queue }) => queue ?? []));
    const { objects, tokens, signingSecret, sms, sockets } = uses;
    const { table, callerRecords, organizations, identity, platform } = uses;
    const onTable = [table, callerRecords, organizations, identity, platform].some(
      (access) => access !== undefined,
    );
    const expected = [
      ...(sms === undefined && uses.mail !== 'send' ? [] : ['API_URL']),
      ...(objects === undefined ? [] : ['BUCKET_NAME']),
      ...(queues.has('compactions') ? ['COMPACTIONS_URL'] : []),
      ...(uses.connectionLimit === undefined ? [] : ['CONNECTION_LIMIT']),
      ...(uses.givenUp === undefined
        ? []
        : ['DEAD_REQUESTS_URL', 'DEFERRED_REQUESTS_URL', 'FAILED_BATCHES_ARN']),
      ...(tokens === 'verify' ? ['JWT_PUBLIC_KEYS'] : []),
      ...(uses.deferredRequests === undefined ? [] : ['DEFERRED_REQUESTS_URL']),
      ...(queues.has('liveEvents') ? ['LIVE_EVENTS_URL'] : []),
      ...(uses.mail === undefined ? [] : ['MAIL_PROVIDER']),
      ...(queues.has('outgoingMail') ? ['OUTGOING_MAIL_URL'] : []),
      ...(uses.outgoingPosts === undefined ? [] : ['OUTGOING_POSTS']),
      ...(queues.has('outgoingTexts') ? ['OUTGOING_TEXTS_URL'] : []),
      ...(uses.ownRequests === undefined ? [] : ['OWN_REQUESTS']),
      ...(uses.secrets === undefined ? [] : ['SEALING_SECRET_ARN']),
      ...(tokens === 'sign' ? ['SIGNING_KEYS'] : []),
      ...(tokens === 'sign' || signingSecret !== undefined ? ['SIGNING_SECRET_ARN'] : []),
      ...(sms === undefined ? [] : ['SMS_PROVIDER', 'SMS_SECRET_ARN']),
      ...(sockets === undefined ? [] : ['SOCKET_ENDPOINT']),
      ...(uses.socketUrl === undefined ? [] : ['SOCKET_URL']),
      ...(onTable ? ['TABLE_NAME'] : []),
      ...(uses.trialPolicy === undefined ? [] : ['TRIAL_POLICY']),
      ...(uses.webhookPosts === undefined ? [] : ['WEBHOOK_POSTS_URL']),
      ...(queues.has('workflowRuns') ? ['WORKFLOW_RUNS_URL'] : []),
    ];
    expect(Object.keys(functionNamed(app, name).Properties.Environment?.Variables ?? {}).sort()).toEqual(
      expected,
    );
  });
}

test('All functions write into one log, as JSON, for a limited time', () => {
  const groups = app.ofType('AWS::Lambda::Function').map(({ Properties }) => Properties.LoggingConfig);
  expect(groups.every(({ LogFormat }) => LogFormat === 'JSON')).toBe(true);
  // Not a start and a report of each invocation that succeeds, which would cost a third of a read.
  expect(groups.every(({ SystemLogLevel }) => SystemLogLevel === 'WARN')).toBe(true);
  expect(app.ofType('AWS::Logs::LogGroup').every(({ Properties }) => Properties.RetentionInDays > 0)).toBe(
    true,
  );
});

for (const { name } of streamReaders(registered)) {
  const source = () => mappingNamed(app, name);

  test(`The reader of the stream ${name} tries a failing batch from where it failed, in halves and a limited number of times, then sets its changes aside in an encrypted bucket that forgets them within two weeks`, () => {
    expect(source().Properties).toMatchObject({
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 5,
    });
    const { Destination } = source().Properties.DestinationConfig.OnFailure;
    const bucket = app.ofType('AWS::S3::Bucket').find(({ id }) => id.startsWith('FailedBatches'));
    expect(JSON.stringify(Destination)).toContain(bucket?.id);
    expect(bucket?.Properties).toMatchObject({
      BucketEncryption: expect.anything(),
      LifecycleConfiguration: { Rules: [{ ExpirationInDays: 14, Status: 'Enabled' }] },
    });
  });

  test(`The reader of the stream ${name} takes one batch of a shard at a time, so that nothing overtakes what happened before`, () => {
    expect(source().Properties.ParallelizationFactor).toBe(1);
  });

  test(`The reader of the stream ${name} takes live events of the last hour, and all else nearly as long as the stream keeps it, which is a day`, () => {
    const hours = name === 'live-changes' ? 1 : 23;
    expect(source().Properties.MaximumRecordAgeInSeconds).toBe(hours * 3600);
  });

  test(`The reader of the stream ${name} rings an alarm when it is late, when it has given changes up, and in the background when these are lost`, () => {
    const { id, template } = functionNamed(app, name);
    const dimensions = app
      .ofType('AWS::CloudWatch::Alarm')
      .filter((alarm) => alarm.template === template)
      .map(({ Properties }) => [Properties.MetricName, referenced(Properties.Dimensions ?? [])]);
    expect(dimensions).toContainEqual(['IteratorAge', id]);
    expect(dimensions).toContainEqual(['OnFailureDestinationDeliveredEventCount', source().id]);
    expect(source().Properties.MetricsConfig).toEqual({ Metrics: ['EventCount'] });
    // Nobody misses a live event of an hour ago.
    const isWatchedForLosses = dimensions.some(
      ([metric, of]) => metric === 'DestinationDeliveryFailures' && of === id,
    );
    expect(isWatchedForLosses).toBe(name === 'background-changes');
  });
}

for (const {
  plan: { name },
  queue: queueName,
} of queueConsumers(registered)) {
  const source = () => mappingNamed(app, name);
  const targetBehind = () => behind(app, source().template, source().Properties.EventSourceArn);
  const queue = () => targetBehind()?.template.resources[targetBehind()?.id ?? ''];

  test(`The queue of ${name} is encrypted, takes a message of any size, and hides it for six times as long as its function may run, or as long in an ordered queue`, () => {
    expect(queue()).toMatchObject({
      Type: 'AWS::SQS::Queue',
      Properties: {
        SqsManagedSseEnabled: true,
        MaximumMessageSize: 1024 * 1024,
        VisibilityTimeout:
          (queue()?.Properties.FifoQueue ? 1 : 6) * functionNamed(app, name).Properties.Timeout,
      },
    });
  });

  test(`The queue of ${name} keeps what fails too often for two weeks, and is told which messages failed`, () => {
    const { deadLetterTargetArn, maxReceiveCount } = queue()?.Properties.RedrivePolicy ?? {};
    expect(maxReceiveCount).toBeGreaterThanOrEqual(5);
    expect(targetBehind()?.template.resources[referenced(deadLetterTargetArn) ?? '']).toMatchObject({
      Type: 'AWS::SQS::Queue',
      Properties: { SqsManagedSseEnabled: true, MessageRetentionPeriod: 14 * 86_400 },
    });
    expect(source().Properties.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
    expect(source().Properties.BatchSize).toBe(
      ['compactions', 'liveEvents', 'webhookPosts'].includes(queueName) ? 1 : 10,
    );
  });

  test(`The queue of ${name} rings an alarm when a message has failed too often, and when somebody waits for one for long`, () => {
    const dimensions = app
      .ofType('AWS::CloudWatch::Alarm')
      .map(({ template, Properties }) => [
        Properties.MetricName,
        behind(app, template, Properties.Dimensions ?? [])?.id,
      ]);
    expect(dimensions).toContainEqual([
      'ApproximateNumberOfMessagesVisible',
      referenced(queue()?.Properties.RedrivePolicy),
    ]);
    // Nobody waits for compactions: without them searches read more, and find the same. An address outside may never answer.
    const isAwaited = !['compactions', 'webhookPosts'].includes(queueName);
    const waiting = ['ApproximateAgeOfOldestMessage', targetBehind()?.id];
    expect(dimensions.some((dimension) => isDeepStrictEqual(dimension, waiting))).toBe(isAwaited);
  });
}

test('A queue has one consumer, and no queue is without', () => {
  const mapped = app
    .ofType('AWS::Lambda::EventSourceMapping')
    .map(({ template, Properties }) => behind(app, template, Properties.EventSourceArn)?.id);
  const [queues, deadLetters] = [true, false].map((hasDeadLetters) =>
    app
      .ofType('AWS::SQS::Queue')
      .filter(({ Properties }) => (Properties.RedrivePolicy !== undefined) === hasDeadLetters)
      .map(({ id }) => id),
  );
  expect(mapped.filter((id) => queues?.includes(id ?? '')).sort()).toEqual(queues?.sort());
  // The letters of deferred requests have content, and ordered queues need a dead-letter queue that is ordered.
  expect(deadLetters?.map((id) => id.slice(0, -8)).sort()).toEqual([
    'DeadLetters',
    'KeptRequestsDeadLetters',
    'OrderedDeadLetters',
  ]);
});

test('Who erases failed requests reaches the letters of no other queue', () => {
  const sources = app
    .ofType('AWS::SQS::Queue')
    .filter(({ Properties }) =>
      referenced(Properties.RedrivePolicy?.deadLetterTargetArn)?.startsWith('Kept'),
    );
  expect(sources.map(({ id }) => id.slice(0, -8))).toEqual(['KeptRequests']);
});

for (const { name, operation } of ofKind(registered, 'schedule')) {
  const rule = () => {
    const found = app
      .ofType('AWS::Events::Rule')
      .filter(({ Properties }) => referenced(Properties.Targets) === functionNamed(app, name).id);
    expect(found).toHaveLength(1);
    return found[0];
  };
  const seconds = Math.min(operation.on.everyMinutes * 60, 6 * 3600);
  const ofFunction = (type: string) =>
    app
      .ofType(type)
      .filter(({ Properties }) => referenced(Properties.FunctionName) === functionNamed(app, name).id);

  test(`What the schedule of ${name} runs is its function alone, at its rate, by a rule that alone may do so`, () => {
    const { everyMinutes, parts = 1 } = operation.on;
    expect(rule()?.Properties).toMatchObject({
      ScheduleExpression: Schedule.rate(Duration.minutes(everyMinutes)).expressionString,
      State: 'ENABLED',
      Targets: Array.from({ length: parts }, (_, part) =>
        expect.objectContaining(parts === 1 ? {} : { Input: JSON.stringify({ part }) }),
      ),
    });
    const [permission, ...others] = ofFunction('AWS::Lambda::Permission');
    expect(others).toEqual([]);
    expect(permission?.Properties).toMatchObject({
      Action: 'lambda:InvokeFunction',
      Principal: 'events.amazonaws.com',
    });
    expect(referenced(permission?.Properties.SourceArn)).toBe(rule()?.id);
  });

  test(`What the schedule of ${name} could not run is tried a few times, and not after the next run is due`, () => {
    const tries = { MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: seconds };
    expect(rule()?.Properties.Targets[0].RetryPolicy).toEqual(tries);
    const [invoking] = ofFunction('AWS::Lambda::EventInvokeConfig');
    expect(invoking?.Properties).toMatchObject({ ...tries, Qualifier: '$LATEST' });
  });

  test(`What the schedule of ${name} runs rings an alarm when nothing runs: a missing figure rings, too`, () => {
    const { id, template } = functionNamed(app, name);
    const alarms = new Map(
      app
        .ofType('AWS::CloudWatch::Alarm')
        .filter((alarm) => alarm.template === template && referenced(alarm.Properties.Dimensions) === id)
        .map(({ Properties }) => [Properties.MetricName, Properties]),
    );
    expect([...alarms.keys()].sort()).toEqual(['Invocations']);
    expect(alarms.get('Invocations')).toMatchObject({
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      TreatMissingData: 'breaching',
    });
    expect(alarms.get('Invocations').Period).toBeGreaterThanOrEqual(2 * 60 * operation.on.everyMinutes);
  });
}
