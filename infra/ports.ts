import { type QueueName, queues } from '../shared/kernel/message-queue.ts';
import type { Uses } from '../shared/kernel/operation.ts';
import type { PortName, PortTypes } from '../shared/kernel/ports.ts';
import { apiKeyUseKey } from '../shared/organizations/api-key.ts';
import { rateLimitKey } from '../shared/ports/rate-limits.ts';
import { joined } from '../shared/table/key.ts';
import { idempotencyKey } from '../shared/table/key-record.ts';
import { identitySpace, organizationSpace, platformSpace } from '../shared/table/spaces.ts';
import { objectsPort, type Port, queuePort, tablePort } from './port.ts';
import type { MailSenderResources } from './port-resources.ts';

const organizationPartitions = joined(organizationSpace('*'));
const identityPartitions = joined([...identitySpace, '*']);
const idempotencyPartitions = joined([...organizationSpace('*'), ...idempotencyKey('*', 'digest').partition]);
const rateLimitPartitions = joined([...identitySpace, ...rateLimitKey('*').partition]);
const keyUsePartitions = joined([...identitySpace, ...apiKeyUseKey('*', 'key').partition]);
const platformPartitions = joined([...platformSpace, '*']);

const { deferredRequests, ...queuePorts } = Object.fromEntries(
  Object.keys(queues).map((name) => [name, queuePort(name as QueueName)]),
) as Record<QueueName, Port>;

/** Whoever opens a secret could also seal one: it is the same key. */
const secretsPort = (provider: string): Port => ({
  provider: ['shared/ports/secrets.ts', provider],
  environment: ({ sealingSecretArn }) => ({ SEALING_SECRET_ARN: sealingSecretArn }),
  grants: ({ sealingSecretArn }) => [
    { actions: ['secretsmanager:GetSecretValue'], resources: [sealingSecretArn] },
  ],
});

/** The provider, environment and permissions of every access of every port. They are defined nowhere else. */
const ports: { readonly [P in PortName]: Readonly<Record<keyof PortTypes[P], Port>> } = {
  table: tablePort('provideTable', organizationPartitions),
  callerRecords: {
    check: {
      ...tablePort('provideTable', organizationPartitions).read,
      provider: ['shared/ports/table.ts', 'provideCallerRecords'],
      table: { partitions: organizationPartitions, access: 'check' },
    },
  },
  idempotency: {
    keep: {
      ...tablePort('provideTable', idempotencyPartitions).write,
      provider: ['shared/ports/idempotency.ts', 'provideIdempotency'],
    },
  },
  deferredRequests: { defer: deferredRequests },
  organizations: tablePort('provideOrganizations', organizationPartitions),
  identity: tablePort('provideIdentity', identityPartitions),
  keyUses: {
    note: {
      ...tablePort('provideIdentity', keyUsePartitions).write,
      provider: ['shared/ports/key-uses.ts', 'provideKeyUses'],
    },
  },
  rateLimits: {
    limit: {
      ...tablePort('provideIdentity', rateLimitPartitions).write,
      provider: ['shared/ports/rate-limits-port.ts', 'provideRateLimits'],
    },
  },
  platform: tablePort('providePlatform', platformPartitions),
  tokens: {
    verify: {
      provider: ['shared/ports/tokens.ts', 'provideTokenVerifier'],
      environment: ({ publicKeys }) => ({ JWT_PUBLIC_KEYS: publicKeys() }),
    },
    sign: {
      provider: ['shared/ports/tokens.ts', 'provideTokenSigner'],
      environment: ({ signingSecretArn, keysFingerprint }) => ({
        SIGNING_KEYS: keysFingerprint(),
        SIGNING_SECRET_ARN: signingSecretArn,
      }),
      grants: ({ signingSecretArn }) => [
        { actions: ['secretsmanager:GetSecretValue'], resources: [signingSecretArn] },
      ],
    },
  },
  passwords: {
    // A hash is pure computing: a full CPU halves its time and costs the same.
    hash: { provider: ['shared/ports/passwords.ts', 'providePasswords'], memory: 1769 },
  },
  signingSecret: {
    rotate: {
      provider: ['shared/ports/tokens.ts', 'provideSigningSecret'],
      environment: ({ signingSecretArn }) => ({ SIGNING_SECRET_ARN: signingSecretArn }),
      grants: ({ signingSecretArn }) => [
        {
          actions: ['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'],
          resources: [signingSecretArn],
        },
      ],
    },
  },
  secrets: { open: secretsPort('provideSecretOpener'), seal: secretsPort('provideSecretSealer') },
  sockets: {
    post: {
      provider: ['shared/ports/sockets.ts', 'provideSockets'],
      environment: ({ socketEndpoint }) => ({ SOCKET_ENDPOINT: socketEndpoint }),
      grants: ({ socketConnectionsArn }) => [
        {
          actions: ['execute-api:ManageConnections'],
          resources: [socketConnectionsArn('POST'), socketConnectionsArn('DELETE')],
          wildcard: 'Connections get their ids when clients connect; all of them are of this API and stage.',
        },
      ],
    },
  },
  objects: {
    // A signed link has the permissions of the role that signed it.
    downloads: objectsPort('provideDownloads', { files: ['s3:GetObject'] }),
    attachments: objectsPort('provideAttachments', { files: ['s3:GetObject'] }),
    newAttachments: objectsPort('provideNewAttachments', {
      uploads: ['s3:GetObject'],
      files: ['s3:GetObject', 's3:PutObject'],
    }),
    // A presigned form has the permissions of the role that signed it.
    uploads: objectsPort('provideUploads', { uploads: ['s3:PutObject'] }),
    importFiles: {
      ...objectsPort('provideImportFiles', {
        uploads: ['s3:GetObject'],
        documents: ['s3:PutObject'],
      }),
      // A table of 25 MB is parsed in memory, within the time of a request.
      memory: 1769,
    },
    storedDocuments: objectsPort('provideStoredDocuments', { documents: ['s3:GetObject'] }),
    plans: objectsPort('providePlans', { documents: ['s3:GetObject'] }),
    documents: objectsPort('provideDocuments', {
      documents: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'],
    }),
    exports: {
      ...objectsPort('provideExports', {
        exports: ['s3:GetObject', 's3:PutObject'],
        files: ['s3:GetObject'],
      }),
      // An export compresses tens of megabytes of text in memory.
      memory: 1769,
    },
    exportFiles: objectsPort('provideExportFiles', { exports: ['s3:GetObject', 's3:PutObject'] }),
    erasure: objectsPort('provideErasure', {
      uploads: ['s3:DeleteObject', 's3:DeleteObjectVersion'],
      files: ['s3:DeleteObject', 's3:DeleteObjectVersion'],
      documents: ['s3:DeleteObject', 's3:DeleteObjectVersion'],
      exports: ['s3:DeleteObject'],
    }),
  },
  sms: {
    send: {
      provider: ['shared/ports/sms.ts', 'provideSms'],
      environment: ({ smsSecretArn, apiUrl }) => ({
        API_URL: apiUrl(),
        SMS_PROVIDER: 'twilio',
        SMS_SECRET_ARN: smsSecretArn,
      }),
      grants: ({ smsSecretArn }) => [
        { actions: ['secretsmanager:GetSecretValue'], resources: [smsSecretArn] },
      ],
    },
  },
  mail: {
    send: {
      provider: ['shared/ports/mail.ts', 'provideMail'],
      environment: ({ mailSender, appUrl, apiUrl }) => ({
        MAIL_PROVIDER: providerOf(mailSender),
        ...(mailSender && { MAIL_FROM: mailSender.from, MAIL_REGION: mailSender.region }),
        ...(appUrl === undefined ? { API_URL: apiUrl() } : { APP_URL: appUrl }),
      }),
      grants: ({ mailSender }) =>
        mailSender === undefined
          ? []
          : [
              {
                actions: ['ses:SendEmail'],
                resources: [mailSender.identitiesArn],
                wildcard:
                  'While the account is in the sandbox, SES asks for permission for the recipient, too, whose identity anybody may be. The condition names the one sender.',
                conditions: { StringEquals: { 'ses:FromAddress': mailSender.from } },
              },
            ],
    },
    sender: {
      provider: ['shared/ports/mail.ts', 'provideMailSender'],
      environment: ({ mailSender }) => ({ MAIL_PROVIDER: providerOf(mailSender) }),
    },
  },
  // The function gets the ports of the operations, too.
  dueOperations: { run: { provider: ['shared/ports/due-operations.ts', 'provideDueOperations'] } },
  stepOperations: {
    run: { provider: ['shared/ports/step-operations.ts', 'provideStepOperations'] },
    simulate: { provider: ['shared/ports/step-operations.ts', 'provideStepOperations'] },
  },
  queue: queuePorts,
  webhookPosts: { send: queuePorts.webhookPosts },
  socketUrl: {
    read: {
      provider: ['shared/ports/sockets.ts', 'provideSocketUrl'],
      environment: ({ socketUrl }) => ({ SOCKET_URL: socketUrl }),
    },
  },
  givenUp: {
    erase: {
      provider: ['shared/ports/given-up.ts', 'provideGivenUp'],
      environment: ({ queueUrl, deadLettersUrl, failedBatchesArn }) => ({
        DEAD_REQUESTS_URL: deadLettersUrl('deferredRequests'),
        FAILED_BATCHES_ARN: failedBatchesArn,
        DEFERRED_REQUESTS_URL: queueUrl('deferredRequests'),
      }),
      grants: ({ queueArn, deadLettersArn, failedBatchesArn }) => [
        { actions: ['sqs:SendMessage'], resources: [queueArn('deferredRequests')] },
        {
          actions: ['sqs:DeleteMessage', 'sqs:ReceiveMessage'],
          resources: [deadLettersArn('deferredRequests')],
        },
        { actions: ['s3:ListBucket'], resources: [failedBatchesArn] },
        {
          actions: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
          resources: [`${failedBatchesArn}/aws/lambda/*`],
          wildcard: 'Lambda gives each failed batch a key of its own; the bucket has nothing else.',
        },
      ],
    },
  },
  connectionLimit: {
    read: {
      provider: ['shared/ports/sockets.ts', 'provideConnectionLimit'],
      environment: ({ connectionLimit }) => ({ CONNECTION_LIMIT: String(connectionLimit) }),
    },
  },
  outgoingPosts: {
    send: {
      provider: ['shared/ports/outgoing-posts.ts', 'provideOutgoingPosts'],
      environment: ({ webhookHttp }) => ({ OUTGOING_POSTS: webhookHttp ? 'http' : 'https' }),
    },
  },
  ownRequests: {
    forward: {
      provider: ['shared/ports/own-requests.ts', 'provideOwnRequests'],
      // The local host keeps workers free for what such a function waits for.
      environment: () => ({ OWN_REQUESTS: 'forward' }),
    },
  },
  trialPolicy: {
    read: {
      provider: ['shared/ports/trial-policy.ts', 'provideTrialPolicy'],
      environment: ({ trialPolicy }) => ({ TRIAL_POLICY: trialPolicy }),
    },
  },
  asset: {
    asyncapi: { provider: ['shared/ports/asset.ts', 'provideAsset'] },
    openapi: { provider: ['shared/ports/asset.ts', 'provideAsset'] },
    documentation: { provider: ['shared/ports/asset.ts', 'provideAsset'] },
    documentationIndex: { provider: ['shared/ports/asset.ts', 'provideAsset'] },
    documentationText: { provider: ['shared/ports/asset.ts', 'provideAsset'] },
    routes: { provider: ['shared/ports/asset.ts', 'provideAsset'] },
    tools: { provider: ['shared/ports/asset.ts', 'provideAsset'] },
    workflowNodeTypes: { provider: ['shared/ports/asset.ts', 'provideAsset'] },
    client: { provider: ['shared/ports/asset.ts', 'provideAsset'] },
    clientTypes: { provider: ['shared/ports/asset.ts', 'provideAsset'] },
  },
};

function providerOf(sender: MailSenderResources | undefined): string {
  return sender === undefined ? 'none' : 'ses';
}

/** Actions that change nothing, among the actions that ports grant. */
const readingActions: readonly string[] = ['s3:GetObject', 'secretsmanager:GetSecretValue'];

/** The port with permission to read only: AWS refuses its writes. */
export function reading(port: UsedPort): UsedPort {
  const { table, grants } = port;
  return {
    ...port,
    ...(table && { table: { ...table, access: 'read' } }),
    ...(grants && {
      grants: (resources) =>
        grants(resources).flatMap((grant) => {
          const actions = grant.actions.filter((action) => readingActions.includes(action));
          return actions.length === 0 ? [] : [{ ...grant, actions }];
        }),
    }),
  };
}

export interface UsedPort extends Port {
  readonly name: PortName;
  readonly access: string;
}

/** The declared ports, each with its provider, environment and grants. @throws for an access that does not exist. */
export function usedPorts(uses: Uses): UsedPort[] {
  return Object.entries(uses).map(([name, access]) => {
    const port = (ports[name as PortName] as Readonly<Record<string, Port>> | undefined)?.[access];
    if (port === undefined) {
      throw new Error(`There is no port "${name}" with the access "${access}".`);
    }
    return { name: name as PortName, access, ...port };
  });
}
