import { type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnOutput, CustomResource, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import project from '../../package.json' with { type: 'json' };
import { queueConsumers, schedules, streamReaders } from '../function-plan.ts';
import { pascalCase } from '../pascal-case.ts';
import { ofKind, type Registered } from '../registry.ts';
import type { Settings } from '../settings.ts';
import { Alarms } from './alarms.ts';
import { CapabilityStack } from './capability-stack.ts';
import { dashboard } from './dashboard.ts';
import { HttpApi } from './http-api.ts';
import { operationFunction, type Platform, runtime } from './operation-function.ts';
import { Queues, queueConsumer } from './queues.ts';
import { SocketApi } from './socket-api.ts';
import { streamReader } from './stream-reader.ts';

export interface StatelessProps extends StackProps {
  readonly operations: readonly Registered[];
  code(name: string): Code;
  readonly settings: Settings;
  readonly table: Table;
  readonly bucket: Bucket;
  readonly failedBatches: Bucket;
  readonly signingSecret: Secret;
  readonly smsSecret: Secret;
  readonly sealingSecret: Secret;
}

const hashing = `@node-rs/argon2 ${project.dependencies['@node-rs/argon2']} on ${runtime.name}`;

/** Everything that can be deleted and deployed again: both APIs, the functions in a nested stack for each folder, the alarms. */
export class StatelessStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    {
      operations,
      code,
      settings,
      table: own,
      bucket,
      failedBatches,
      signingSecret,
      smsSecret,
      sealingSecret,
      ...props
    }: StatelessProps,
  ) {
    super(scope, id, props);
    const table = restoredTable(this, settings) ?? own;
    const logGroup = new LogGroup(this, 'FunctionLog', {
      logGroupName: `/${this.stackName}/functions`,
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const socketApi = new SocketApi(this, 'SocketApi', settings);
    const queues = new Queues(this, 'Queues');
    const platform: Platform = {
      code,
      operations,
      logGroup,
      resources: {
        tableName: table.tableName,
        tableArn: table.tableArn,
        bucketName: bucket.bucketName,
        objectsArn: (pattern) => bucket.arnForObjects(pattern),
        signingSecretArn: signingSecret.secretArn,
        smsSecretArn: smsSecret.secretArn,
        sealingSecretArn: sealingSecret.secretArn,
        mailSender: mailSenderOf(this, settings),
        appUrl: settings.appUrl,
        queueUrl: (name) => queues.of(name).queue.queueUrl,
        queueArn: (name) => queues.of(name).queue.queueArn,
        deadLettersUrl: (name) => queues.of(name).deadLetters.queueUrl,
        deadLettersArn: (name) => queues.of(name).deadLetters.queueArn,
        failedBatchesArn: failedBatches.bucketArn,
        connectionLimit: settings.connectionLimit,
        webhookHttp: settings.webhookHttp,
        trialPolicy: settings.newcomerPolicy,
        publicKeys: () => keys.getAttString('PublicKeys'),
        keysFingerprint: () => keys.getAttString('Fingerprint'),
        // Not known to functions behind routes, which are created before the HTTP API.
        apiUrl: () => httpApi.url,
        socketUrl: socketApi.url,
        socketEndpoint: socketApi.endpoint,
        socketConnectionsArn: (method) => socketApi.connectionsArn(method),
      },
    };
    const keys = this.#signingKeys(operations, platform, settings);
    const authorizer = operationFunction(
      this,
      only(ofKind(operations, 'authorizer'), 'authorizer'),
      platform,
    );

    const alarms = new Alarms(this, 'Alarms', settings);
    alarms.watchSockets(socketApi);
    alarms.watchFunctions(logGroup);

    const scheduled = Map.groupBy(schedules(operations), (plan) => plan.operations[0].folder);
    const capabilities = [...Map.groupBy(operations.filter(isOfItsFolder), ({ folder }) => folder)].map(
      ([folder, ofFolder]) =>
        new CapabilityStack(this, folder, {
          operations: ofFolder,
          schedules: scheduled.get(folder) ?? [],
          platform,
          alarms,
        }),
    );
    const httpApi = new HttpApi(this, 'HttpApi', {
      operations: capabilities.flatMap(({ routed }) => routed),
      authorizer,
      settings,
    });
    alarms.watchHttp(httpApi);
    for (const [operation, target] of capabilities.flatMap(({ onSocket }) => onSocket)) {
      socketApi.addRoute(operation, target);
    }
    socketApi.addStage();
    const readers = streamReaders(operations).map((plan) => {
      const reader = streamReader(this, plan, { table, failedBatches }, platform);
      alarms.watchReader(this, pascalCase(plan.name), reader);
      if (plan.operations[0].operation.reader === 'background') {
        alarms.watchLosses(this, pascalCase(plan.name), reader);
      }
      return { ...reader, name: plan.name };
    });
    const consumers = queueConsumers(operations).map(({ queue, plan }) => {
      const consumer = queueConsumer(this, plan, queue, queues.of(queue), platform);
      alarms.watchQueue(this, pascalCase(plan.name), queue, consumer);
      return { ...consumer, name: plan.name };
    });
    const byDeadLetters = Map.groupBy(consumers, ({ deadLetters }) => deadLetters);
    for (const deadLetters of byDeadLetters.keys()) {
      alarms.watchDeadLetters(this, deadLetters);
    }
    if (settings.dashboard) {
      dashboard(this, {
        httpApi,
        socketApi,
        tableName: table.tableName,
        alarms: alarms.all,
        readers: new Map(readers.map(({ name, function: target }) => [name, target.functionName])),
        queues: new Map([
          ...consumers.map(({ name, queue }) => [name, queue.queueName] as const),
          ...[...byDeadLetters].map(
            ([{ queueName }, given]) =>
              [`given up by ${given.map(({ name }) => name).join(', ')}`, queueName] as const,
          ),
        ]),
      });
    }
    const outputs: Record<string, [value: string, description: string]> = {
      HttpUrl: [httpApi.url, 'The URL of the HTTP API'],
      HttpApiUrl: [httpApi.ownUrl, 'The URL of the same API that works before its domain has a DNS record'],
      HttpApiId: [httpApi.id, 'For commands about the gateway'],
      SocketUrl: [socketApi.url, 'The URL for live events'],
      TableName: [table.tableName, 'For `npm run grant-superadmin`'],
      BucketName: [bucket.bucketName, 'For commands about files and documents'],
      SmsProviderSecretArn: [
        smsSecret.secretArn,
        'Put the credentials of the SMS provider into it, as infra/README.md says',
      ],
      SigningKeyGeneration: [
        keys.getAttString('Generation'),
        'The generation of the newest key that signs tokens; a higher `keyGeneration` rotates the keys',
      ],
      ConcurrencyQuota: [
        `https://${this.region}.console.aws.amazon.com/servicequotas/home/services/lambda/quotas/L-B99A9384`,
        'A new account runs ten functions at a time: ask for 1,000 here',
      ],
      AlarmTopicArn: [alarms.topic.topicArn, 'Subscribe to it to be notified when something is wrong'],
    };
    for (const [name, [value, description]] of Object.entries(outputs)) {
      new CfnOutput(this, name, { value, description });
    }
  }

  /** The deployment step that fills the signing secret and returns the public keys. */
  #signingKeys(
    operations: readonly Registered[],
    platform: Platform,
    { keyGeneration, trustedKeyGeneration }: Settings,
  ): CustomResource {
    const step = only(ofKind(operations, 'deployment'), 'deployment');
    const name = pascalCase(step.name);
    // A renamed operation becomes another custom resource, because CloudFormation refuses to change the type or the function of one.
    return new CustomResource(this, `${name}Step`, {
      resourceType: `Custom::${name}`,
      serviceToken: operationFunction(this, step, platform).functionArn,
      // The step runs again when a property changes: also when the package that hashes passwords, which it tests, changes its version.
      properties: {
        Generation: String(keyGeneration),
        TrustedFrom: String(trustedKeyGeneration),
        PasswordHashes: hashing,
      },
      serviceTimeout: Duration.minutes(2),
    });
  }
}

/** The restored table that replaces the deployment's own. The ARN of its stream begins with the ARN of the table. */
function restoredTable(scope: Construct, { restoredTable: tableStreamArn }: Settings): ITable | undefined {
  const [tableArn] = tableStreamArn?.split('/stream/') ?? [];
  return tableStreamArn === undefined || tableArn === undefined
    ? undefined
    : Table.fromTableAttributes(scope, 'RestoredTable', { tableArn, tableStreamArn });
}

/** The sender of email, from the settings. */
function mailSenderOf(stack: Stack, { mailFrom, mailRegion }: Settings) {
  if (mailFrom === undefined) {
    return undefined;
  }
  const region = mailRegion ?? stack.region;
  return {
    from: mailFrom,
    region,
    identitiesArn: stack.formatArn({ service: 'ses', region, resource: 'identity', resourceName: '*' }),
  };
}

/** Whether the operation's function is in the stack of its folder; the others belong to the APIs, to a reader or to the clock. */
function isOfItsFolder({ operation: { kind } }: Registered): boolean {
  return kind === 'http' || kind === 'socket' || kind === 'schedule';
}

function only<T>(found: readonly T[], kind: string): T {
  const [first, ...others] = found;
  if (first === undefined || others.length > 0) {
    throw new Error(`There must be exactly one operation of the kind ${kind}; there are ${found.length}.`);
  }
  return first;
}
