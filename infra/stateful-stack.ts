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
import { areaPrefix } from '../shared/ports/object-keys.ts';
import { tableKeys } from '../shared/table/key.ts';

/** The table, the objects and the secrets: everything that remains when the rest is deleted. */
export class StatefulStack extends Stack {
  readonly table: Table;
  readonly bucket: Bucket;
  readonly signingSecret: Secret;
  readonly smsSecret: Secret;

  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, props);
    this.table = table(this);
    this.bucket = bucket(this);
    this.signingSecret = signingSecret(this);
    this.smsSecret = smsSecret(this);
  }
}

function table(scope: Construct): Table {
  return new Table(scope, 'Table', {
    partitionKey: { name: tableKeys.partition, type: AttributeType.STRING },
    sortKey: { name: tableKeys.sort, type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    encryption: TableEncryption.DEFAULT,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    timeToLiveAttribute: 'expiresAt',
    stream: StreamViewType.NEW_AND_OLD_IMAGES,
    removalPolicy: RemovalPolicy.RETAIN,
  });
}

const privately = {
  encryption: BucketEncryption.S3_MANAGED,
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  enforceSSL: true,
  removalPolicy: RemovalPolicy.RETAIN,
} satisfies BucketProps;

function bucket(scope: Construct): Bucket {
  const accessLogs = new Bucket(scope, 'BucketAccessLogs', {
    ...privately,
    lifecycleRules: [{ expiration: Duration.days(90) }],
  });
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
      // Attaching a file copies it: what remains here was never attached, or is no longer needed.
      {
        prefix: areaPrefix('uploads'),
        expiration: Duration.days(1),
        noncurrentVersionExpiration: Duration.days(1),
      },
      // Written once, and deleted with the record that shows it: there is nothing to restore.
      { prefix: areaPrefix('files'), noncurrentVersionExpiration: Duration.days(1) },
    ],
    // The library's own class does not match its interface under `exactOptionalPropertyTypes`.
    serverAccessLogsBucket: accessLogs as IBucket,
    // Browsers send files directly to the bucket with a presigned form: the signature limits what they send, not the origin.
    cors: [
      {
        allowedMethods: [HttpMethods.POST, HttpMethods.GET, HttpMethods.HEAD],
        allowedOrigins: ['*'],
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
    removalPolicy: RemovalPolicy.RETAIN,
  });
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason:
      'The keys are rotated by a deployment, because the public halves reach every verifying function through its environment; a rotation on a timer would sign with keys that nobody accepts.',
  });
  return secret;
}

function smsSecret(scope: Construct): Secret {
  const secret = new Secret(scope, 'SmsProviderSecret', {
    description:
      'Credentials of Twilio, put here by hand: {"accountSid", "authToken"} or {"accountSid", "apiKeySid", "apiKeySecret"}, with "messagingServiceSid" or "from" for messages that name no sender',
    removalPolicy: RemovalPolicy.RETAIN,
  });
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason:
      'Twilio issues the credentials and offers no rotation that Secrets Manager could drive; whoever rotates them there puts the new ones here, and every function uses them within five minutes.',
  });
  return secret;
}
