import { devNull } from 'node:os';
import type { HttpApiPlan, SocketApiPlan } from './gateway/api-plan.ts';
import { region } from './template/intrinsics.ts';
import type { FunctionDefinition } from './template/plan.ts';

/** Where the parts of the host listen, for example `http://127.0.0.1:3000`. */
export interface Endpoints {
  gateway: string;
  /** The gateway for functions that post to connections. */
  management: string;
  database: string;
  objectStore: string;
  secrets: string;
  queues: string;
  /** The file that takes the place of the SMS provider. */
  sentMessages: string;
  /** The file that takes the place of Amazon SES. */
  sentMail: string;
}

/** The APIs whose URLs functions get. */
export interface ApiPlans {
  readonly http: Pick<HttpApiPlan, 'id'>;
  readonly socket: SocketApiPlan;
}

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/**
 * The environment of a function on this machine: what Lambda would set, the template's variables with the local addresses
 * of the APIs, and the endpoints that stand in for AWS and the SMS provider.
 */
export function functionEnvironment(
  definition: FunctionDefinition,
  apis: ApiPlans,
  endpoints: Endpoints,
  credentials: Credentials,
  extra: Record<string, string>,
): Record<string, string> {
  const { name, memoryMegabytes, handler, code } = definition;
  const variables = Object.entries(definition.environment).map(([key, value]) => [
    key,
    withLocalAddresses(value, apis, endpoints),
  ]);
  return {
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    PATH: process.env.PATH ?? '',
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    // A function on Lambda has no such files, and a developer's must not change what functions do.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.database,
    AWS_ENDPOINT_URL_S3: endpoints.objectStore,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secrets,
    AWS_ENDPOINT_URL_SQS: endpoints.queues,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    LAMBDA_TASK_ROOT: code.directory,
    _HANDLER: handler,
    ...Object.fromEntries(variables),
    ...(definition.environment.SMS_PROVIDER && {
      SMS_PROVIDER: 'recorder',
      SMS_RECORD_FILE: endpoints.sentMessages,
    }),
    ...(definition.environment.MAIL_PROVIDER && {
      MAIL_PROVIDER: 'recorder',
      MAIL_RECORD_FILE: endpoints.sentMail,
    }),
    ...(definition.environment.TRIAL_POLICY && { TRIAL_POLICY: 'open' }),
    ...(definition.environment.OUTGOING_POSTS && { OUTGOING_POSTS: 'local' }),
    ...extra,
  };
}

/** The URL of the WebSocket API of a gateway. */
export function socketUrl(gateway: string): string {
  return `${gateway.replace(/^http/, 'ws')}/socket`;
}

function withLocalAddresses(
  value: string,
  { http, socket }: ApiPlans,
  { gateway, management }: Endpoints,
): string {
  const address = addressOf(socket);
  return value
    .replaceAll(`wss://${address}/${socket.stage}`, socketUrl(gateway))
    .replaceAll(`https://${address}`, management)
    .replaceAll(`https://${addressOf(http)}`, gateway);
}

function addressOf({ id }: Pick<HttpApiPlan, 'id'>): string {
  return `${id}.execute-api.${region}.amazonaws.com`;
}
