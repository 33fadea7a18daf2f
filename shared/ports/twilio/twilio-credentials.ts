import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import type { Runtime } from '../../kernel/serve/invocation.ts';
import { minute } from '../../kernel/time.ts';
import { clientLimits } from '../aws/client-limits.ts';
import { readStoredJson } from '../aws/stored-secret.ts';
import { required } from '../environment.ts';

const sid = (kind: 'AC' | 'SK' | 'MG') => z.string().check(z.regex(new RegExp(`^${kind}[0-9a-fA-F]{32}$`)));
const text = z.string().check(z.minLength(1));

/** The content of the secret. An API key replaces the account's own token. */
const StoredCredentials = z.object({
  accountSid: sid('AC'),
  authToken: z.optional(text),
  apiKeySid: z.optional(sid('SK')),
  apiKeySecret: z.optional(text),
  from: z.optional(text),
  messagingServiceSid: z.optional(sid('MG')),
});

/** How to sign in to Twilio, and the sender of messages without one. */
export interface TwilioCredentials {
  readonly accountSid: string;
  readonly user: string;
  readonly password: string;
  readonly from: string | undefined;
  readonly messagingServiceSid: string | undefined;
}

export interface TwilioCredentialStore {
  /** Undefined while the secret holds no usable credentials. @throws a 503 when it cannot be read. */
  current(now: Date): Promise<TwilioCredentials | undefined>;
  /** Reads the credentials again for the next message, because Twilio refused them. */
  forget(): void;
}

/** Credentials are read again after this time, so that a rotated token reaches every process. */
const reuse = 5 * minute;

/** The credentials in AWS Secrets Manager. `log` gets a line if the secret is not filled correctly. */
export function twilioCredentials(
  environment: NodeJS.ProcessEnv,
  log: Runtime['log'],
): TwilioCredentialStore {
  const secretArn = required(environment, 'SMS_SECRET_ARN');
  const client = new SecretsManagerClient(clientLimits);
  let held: { credentials: TwilioCredentials; until: number } | undefined;
  return {
    async current(now) {
      if (held === undefined || held.until <= now.getTime()) {
        const credentials = credentialsIn((await readStoredJson(client, secretArn)).value, log);
        // Unusable credentials are not kept, so that a corrected secret works at once.
        held = credentials && { credentials, until: now.getTime() + reuse };
      }
      return held?.credentials;
    },
    forget() {
      held = undefined;
    },
  };
}

function credentialsIn(stored: unknown, log: Runtime['log']): TwilioCredentials | undefined {
  const { data, error } = z.safeParse(StoredCredentials, stored);
  const { accountSid, authToken, apiKeySid, apiKeySecret, from, messagingServiceSid } = data ?? {};
  const password = apiKeySid === undefined ? authToken : apiKeySecret;
  if (accountSid === undefined || password === undefined) {
    log({
      level: 'error',
      port: 'sms',
      problem: 'The secret for the SMS provider is not filled, or not as README.md says',
      // Only names: the fields hold secrets.
      fields: error?.issues.map(({ path }) => path.join('.')) ?? [apiKeySid ? 'apiKeySecret' : 'authToken'],
    });
    return undefined;
  }
  return { accountSid, user: apiKeySid ?? accountSid, password, from, messagingServiceSid };
}
