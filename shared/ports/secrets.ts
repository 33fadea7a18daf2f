import { hkdfSync } from 'node:crypto';
import { noDeadline } from '../kernel/deadline.ts';
import type { InvocationScope } from '../kernel/ports.ts';
import { keyLength } from '../secrets/authenticated-cipher.ts';
import { type KeySource, secretOpener, secretSealer } from '../secrets/sealed-secrets.ts';
import { type ClientLimits, clientLimits } from './aws/client-limits.ts';
import { jsonRequests } from './aws/json-requests.ts';
import { required } from './environment.ts';

type Scope = Pick<InvocationScope, 'random' | 'deadline'>;

type Environment = [environment: NodeJS.ProcessEnv, limits?: ClientLimits];

/**
 * The key that is made of the random text in the secret SEALING_SECRET_ARN of AWS Secrets Manager. The process reads that once, while the
 * function initialises, when nobody waits. `open` is an argument, so that the bundle of a function that only opens contains nothing that
 * seals.
 */
function secretsPort<Port>(
  open: (key: KeySource) => Port,
  ...[environment, limits = clientLimits]: Environment
) {
  const SecretId = required(environment, 'SEALING_SECRET_ARN');
  const region = required(environment, 'AWS_REGION');
  const { AWS_ENDPOINT_URL_SECRETS_MANAGER: own } = environment;
  const endpoint = {
    url: new URL(own ?? `https://secretsmanager.${region}.amazonaws.com`),
    service: 'secretsmanager',
    region,
    contentType: 'application/x-amz-json-1.1',
    target: 'secretsmanager',
  };
  const requests = jsonRequests(environment, endpoint, limits);

  let held: Promise<Uint8Array> | undefined;
  function readKey(scope: Scope): Promise<Uint8Array> {
    const reading = requests(scope)('GetSecretValue', { SecretId }).then((response) => {
      const { SecretString } = response as { SecretString: string };
      return new Uint8Array(hkdfSync('sha256', SecretString, '', 'secrets in the table', keyLength));
    });
    held = reading;
    // A read that failed is not kept: the next use tries again.
    reading.catch(() => {
      held = held === reading ? undefined : held;
    });
    return reading;
  }
  void readKey({ random: Math.random, deadline: noDeadline });

  return (scope: Scope): Port => open(() => held?.catch(() => readKey(scope)) ?? readKey(scope));
}

export const provideSecretOpener = (...at: Environment) => secretsPort(secretOpener, ...at);
export const provideSecretSealer = (...at: Environment) => secretsPort(secretSealer, ...at);
