import { AttributeType, BillingMode, StreamViewType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  HttpMethods,
  type IBucket,
} from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Duration, RemovalPolicy, Stack, type StackProps, Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { givenUpKeptFor } from '../../shared/kernel/providers/given-up.ts';
import { areaPrefix } from '../../shared/ports/object-keys.ts';
import { tableKeys } from '../../shared/table/key.ts';
import type { Settings } from '../settings.ts';
import { customDomains } from './custom-domains.ts';

export interface StatefulProps extends StackProps {
  readonly settings: Settings;
}

/**
 * The table, the objects and the secrets: everything that remains when the rest is deleted. It always exports the same values, used or not:
 * otherwise an export that is no longer used would have to be deleted while the other stack still imports it, which CloudFormation refuses.
 */
export class StatefulStack extends Stack {
  readonly table: Table;
  readonly bucket: Bucket;
  /** The bucket for batches of the table's stream that a reader has given up, with their records. */
  readonly failedBatches: Bucket;
  readonly signingSecret: Secret;
  readonly smsSecret: Secret;
  readonly sealingSecret: Secret;

  constructor(scope: Construct, id: string, { settings, ...props }: StatefulProps) {
    super(scope, id, props);
    this.table = table(this, settings);
    const accessLogs = accessLogsOf(this);
    this.bucket = bucket(this, settings, accessLogs);
    this.failedBatches = failedBatches(this, accessLogs);
    this.signingSecret = signingSecret(this);
    this.smsSecret = smsSecret(this);
    this.sealingSecret = sealingSecret(this);
    customDomains(this, settings);
    // The table is protected from deletion as soon as it exists. So it is created last: if the first creation fails elsewhere, no
    // table is left to obstruct the second one.
    this.table.node.addDependency(...this.node.children.filter((child) => child !== this.table));
    for (const value of [
      this.table.tableName,
      this.table.tableArn,
      this.table.tableStreamArn,
      this.bucket.bucketName,
      this.bucket.bucketArn,
      this.failedBatches.bucketArn,
      this.signingSecret.secretArn,
      this.smsSecret.secretArn,
      this.sealingSecret.secretArn,
    ]) {
      this.exportValue(value);
    }
  }
}

function table(scope: Construct, { warmReads, warmWrites, maxReads, maxWrites }: Settings): Table {
  const warm = {
    ...(warmReads === undefined ? {} : { readUnitsPerSecond: warmReads }),
    ...(warmWrites === undefined ? {} : { writeUnitsPerSecond: warmWrites }),
  };
  return new Table(scope, 'Table', {
    partitionKey: { name: tableKeys.partition, type: AttributeType.STRING },
    sortKey: { name: tableKeys.sort, type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    encryption: TableEncryption.DEFAULT,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    ...(Object.keys(warm).length === 0 ? {} : { warmThroughput: warm }),
    ...(maxReads === undefined ? {} : { maxReadRequestUnits: maxReads }),
    ...(maxWrites === undefined ? {} : { maxWriteRequestUnits: maxWrites }),
    deletionProtection: true,
    timeToLiveAttribute: 'expiresAt',
    // With the item before the change, because a later change of the view would create another stream.
    stream: StreamViewType.NEW_AND_OLD_IMAGES,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
}

const privately = {
  encryption: BucketEncryption.S3_MANAGED,
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  enforceSSL: true,
  removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
} satisfies BucketProps;

function accessLogsOf(scope: Construct): IBucket {
  const accessLogs = new Bucket(scope, 'BucketAccessLogs', {
    ...privately,
    lifecycleRules: [{ expiration: Duration.days(90) }],
  });
  // The library's own class does not match its interface under `exactOptionalPropertyTypes`.
  return accessLogs as IBucket;
}

/** As long as a dead-letter queue keeps messages: the records contain what people wrote, and must not stay much longer. */
function failedBatches(scope: Construct, serverAccessLogsBucket: IBucket): Bucket {
  return new Bucket(scope, 'FailedBatches', {
    ...privately,
    serverAccessLogsBucket,
    serverAccessLogsPrefix: 'failed-batches/',
    lifecycleRules: [{ expiration: Duration.millis(givenUpKeptFor) }],
  });
}

function bucket(scope: Construct, { corsOrigins }: Settings, serverAccessLogsBucket: IBucket): Bucket {
  return new Bucket(scope, 'Bucket', {
    ...privately,
    // An object overwritten or deleted by mistake can be restored for a month.
    versioned: true,
    lifecycleRules: [
      { noncurrentVersionExpiration: Duration.days(30), expiredObjectDeleteMarker: true },
      { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      // Responses that are too large for the platform are downloaded at once or never.
      {
        prefix: areaPrefix('exports'),
        expiration: Duration.days(1),
        noncurrentVersionExpiration: Duration.days(1),
      },
      // Attaching a file copies it, so these were never attached, or are no longer needed.
      {
        prefix: areaPrefix('uploads'),
        expiration: Duration.days(1),
        noncurrentVersionExpiration: Duration.days(1),
      },
      // Written once, and deleted with the record that shows it: there is nothing to restore.
      { prefix: areaPrefix('files'), noncurrentVersionExpiration: Duration.days(1) },
    ],
    serverAccessLogsBucket,
    // Browsers send files directly to the bucket with a presigned form: the signature limits what they send, not the origin.
    cors: [
      {
        allowedMethods: [HttpMethods.POST, HttpMethods.GET, HttpMethods.HEAD],
        allowedOrigins: [...corsOrigins],
        allowedHeaders: ['*'],
        exposedHeaders: ['ETag', 'Location', 'Content-Range', 'Content-Disposition', 'x-amz-request-id'],
        maxAge: 3600,
      },
    ],
  });
}

function signingSecret(scope: Construct): Secret {
  const secret = new Secret(scope, 'SigningSecret', {
    description: 'Private keys that sign tokens; written by the deployment step that makes them',
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason:
      'The key of refresh tokens is rotated by the schedule of rotate-refresh-key. The others are rotated by a deployment, because the public halves reach every verifying function through its environment; a rotation on a timer would sign with keys that nobody accepts.',
  });
  return secret;
}

function smsSecret(scope: Construct): Secret {
  const secret = new Secret(scope, 'SmsProviderSecret', {
    description:
      'Credentials of Twilio, entered by hand: {"accountSid", "authToken"} or {"accountSid", "apiKeySid", "apiKeySecret"}, with "messagingServiceSid" or "from" for messages that name no sender',
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason:
      'Twilio issues the credentials and offers no rotation that Secrets Manager could drive; whoever rotates them there puts the new ones here, and every function uses them within five minutes.',
  });
  return secret;
}

function sealingSecret(scope: Construct): Secret {
  const secret = new Secret(scope, 'SealingSecret', {
    description:
      'Random text, from which the key comes that seals the secrets of webhooks in the table; never change it',
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason:
      'What was sealed with this key can be opened with no other; a rotation on a timer would make every stored secret useless. Only functions that handle such secrets may read it.',
  });
  return secret;
}
