import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnOutput, CustomResource, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { Alarms } from './alarms.ts';
import { CapabilityStack } from './capability-stack.ts';
import { streamReaders } from './function-plan.ts';
import { HttpApi } from './http-api.ts';
import { operationFunction, type Platform } from './operation-function.ts';
import { pascalCase } from './pascal-case.ts';
import { ofKind, type Registered } from './registry.ts';
import { SocketApi } from './socket-api.ts';
import { streamReader } from './stream-reader.ts';

export interface StatelessProps extends StackProps {
  readonly operations: readonly Registered[];
  code(name: string): Code;
  readonly table: Table;
  readonly bucket: Bucket;
  readonly signingSecret: Secret;
  readonly smsSecret: Secret;
}

/** A higher number rotates the keys that sign tokens, with the next deployment. README.md says when. */
const keyGeneration = 1;

/** Keys of lower generations are distrusted at once. */
const trustedKeyGeneration = 1;

/** Everything that can be deleted and deployed again: both APIs, the functions in a nested stack for each folder, the alarms. */
export class StatelessStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { operations, code, table, bucket, signingSecret, smsSecret, ...props }: StatelessProps,
  ) {
    super(scope, id, props);
    const logGroup = new LogGroup(this, 'FunctionLog', {
      logGroupName: `/${id}/functions`,
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const socketApi = new SocketApi(this, 'SocketApi');
    const platform: Platform = {
      prefix: id,
      code,
      logGroup,
      resources: {
        tableName: table.tableName,
        tableArn: table.tableArn,
        bucketName: bucket.bucketName,
        objectsArn: (pattern) => bucket.arnForObjects(pattern),
        signingSecretArn: signingSecret.secretArn,
        smsSecretArn: smsSecret.secretArn,
        publicKeys: () => keys.getAttString('PublicKeys'),
        keysFingerprint: () => keys.getAttString('Fingerprint'),
        socketUrl: socketApi.url,
        socketEndpoint: socketApi.endpoint,
        socketConnectionsArn: (method) => socketApi.connectionsArn(method),
      },
    };
    const keys = this.#signingKeys(operations, platform);
    const authorizer = operationFunction(
      this,
      only(ofKind(operations, 'authorizer'), 'authorizer'),
      platform,
    );
    const httpApi = new HttpApi(this, 'HttpApi', authorizer);

    const alarms = new Alarms(this, 'Alarms');
    alarms.watchHttp(httpApi, authorizer);
    alarms.watchSockets(socketApi);
    alarms.watchFunctions(logGroup);
    alarms.watchTable(table.tableName);

    for (const [folder, ofFolder] of Map.groupBy(operations.filter(isOfItsFolder), (one) => one.folder)) {
      new CapabilityStack(this, folder, {
        operations: ofFolder,
        platform,
        httpApi,
        socketApi,
        alarms,
      });
    }
    for (const plan of streamReaders(operations)) {
      alarms.watchReader(this, pascalCase(plan.name), streamReader(this, plan, table, platform));
    }
    new CfnOutput(this, 'HttpUrl', { value: httpApi.url, description: 'Where the HTTP API answers' });
    new CfnOutput(this, 'SocketUrl', { value: socketApi.url, description: 'Where live events are received' });
    new CfnOutput(this, 'TableName', {
      value: table.tableName,
      description: 'What `npm run grant-superadmin` needs to know',
    });
    new CfnOutput(this, 'SmsProviderSecretArn', {
      value: smsSecret.secretArn,
      description: 'Put the credentials of the SMS provider into it, as README.md says',
    });
    new CfnOutput(this, 'SigningKeyGeneration', {
      value: keys.getAttString('Generation'),
      description: 'Of the newest key that signs tokens; a higher `keyGeneration` rotates the keys',
    });
    new CfnOutput(this, 'AlarmTopicArn', {
      value: alarms.topic.topicArn,
      description: 'Subscribe to it to be called when something is wrong',
    });
  }

  /** The deployment step that fills the signing secret and returns the public keys. */
  #signingKeys(operations: readonly Registered[], platform: Platform): CustomResource {
    const step = only(ofKind(operations, 'deployment'), 'deployment');
    return new CustomResource(this, 'SigningKeys', {
      resourceType: `Custom::${pascalCase(step.name)}`,
      serviceToken: operationFunction(this, step, platform).functionArn,
      properties: {
        Generation: String(keyGeneration),
        TrustedFrom: String(trustedKeyGeneration),
      },
      serviceTimeout: Duration.minutes(2),
    });
  }
}

/** Whether the operation's function is in the stack of its folder; the others belong to the APIs or to a reader. */
function isOfItsFolder({ operation: { kind } }: Registered): boolean {
  return kind !== 'authorizer' && kind !== 'deployment' && kind !== 'stream';
}

function only<T>(found: readonly T[], kind: string): T {
  const [first, ...others] = found;
  if (first === undefined || others.length > 0) {
    throw new Error(`There must be exactly one operation of the kind ${kind}; there are ${found.length}.`);
  }
  return first;
}
