import type { QueueName } from '../shared/kernel/message-queue.ts';

/** What the ports of a deployed function need. The strings may be references that only the deployment resolves. */
export interface Resources {
  readonly tableName: string;
  readonly tableArn: string;
  readonly bucketName: string;
  /** The objects whose keys match the pattern, such as `org/*`. */
  objectsArn(pattern: string): string;
  readonly signingSecretArn: string;
  readonly smsSecretArn: string;
  /** Undefined while no sender of email is configured. */
  readonly mailSender: MailSenderResources | undefined;
  /** Where the web app is that links in emails lead to; undefined for the documentation of the API. */
  readonly appUrl: string | undefined;
  queueUrl(name: QueueName): string;
  queueArn(name: QueueName): string;
  deadLettersUrl(name: QueueName): string;
  deadLettersArn(name: QueueName): string;
  /** The bucket for changes of the table that a reader gave up. */
  readonly failedBatchesArn: string;
  /** The name of a newcomer policy. */
  readonly newcomerPolicy: string;
  /** The public signing keys as a JWK Set in JSON, known after the deployment step has made them. */
  publicKeys(): string;
  /** Changes with the signing keys; known when the public keys are. */
  keysFingerprint(): string;
  /** Where clients call the HTTP API, `https://…`: known when that is there, whose authorizer is a function too. */
  apiUrl(): string;
  /** Where clients connect: `wss://…`. */
  readonly socketUrl: string;
  /** Where functions post frames for open connections: `https://…`. */
  readonly socketEndpoint: string;
  /** The open connections of the WebSocket API's stage, for this method. */
  socketConnectionsArn(method: 'POST' | 'DELETE'): string;
}

/** Who sends mail through Amazon SES. */
export interface MailSenderResources {
  readonly from: string;
  readonly region: string;
  /** Of all identities of the account in the region. */
  readonly identitiesArn: string;
}
