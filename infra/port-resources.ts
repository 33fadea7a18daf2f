import type { QueueName } from '../shared/kernel/message-queue.ts';

/** The resources that the ports of a deployed function need. The strings may be references that the deployment resolves. */
export interface Resources {
  readonly tableName: string;
  readonly tableArn: string;
  readonly bucketName: string;
  /** The objects whose keys match the pattern, such as `org/*`. */
  objectsArn(pattern: string): string;
  readonly signingSecretArn: string;
  readonly smsSecretArn: string;
  readonly sealingSecretArn: string;
  /** Undefined while no sender of email is configured. */
  readonly mailSender: MailSenderResources | undefined;
  /** The web app that links in emails open; undefined for the documentation page. */
  readonly appUrl: string | undefined;
  queueUrl(name: QueueName): string;
  queueArn(name: QueueName): string;
  deadLettersUrl(name: QueueName): string;
  deadLettersArn(name: QueueName): string;
  /** The bucket for changes of the table that a reader has given up. */
  readonly failedBatchesArn: string;
  /** Open WebSocket connections that an organization may have. */
  readonly connectionLimit: number;
  /** Whether users may have something posted to addresses without TLS. */
  readonly webhookHttp: boolean;
  /** The name of a trial policy. */
  readonly trialPolicy: string;
  /** The public signing keys as a JWK Set in JSON; known after the deployment step has created them. */
  publicKeys(): string;
  /** Changes with the signing keys; known once the public keys are. */
  keysFingerprint(): string;
  /** The URL of the HTTP API, `https://…`. A function, because that API needs its authorizer first, which is one of the functions. */
  apiUrl(): string;
  /** The URL to which clients connect, `wss://…`. */
  readonly socketUrl: string;
  /** The URL to which functions post frames for open connections, `https://…`. */
  readonly socketEndpoint: string;
  /** The ARN of all open connections of the WebSocket API, for this method. */
  socketConnectionsArn(method: 'POST' | 'DELETE'): string;
}

/** The sender of email through Amazon SES. */
export interface MailSenderResources {
  readonly from: string;
  readonly region: string;
  /** The ARN of all identities of the account in the region. */
  readonly identitiesArn: string;
}
