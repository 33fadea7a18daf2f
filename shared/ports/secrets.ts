import { hkdfSync } from 'node:crypto';
import type { InvocationScope } from '../kernel/ports.ts';
import { isTransient, unavailable } from '../kernel/transient-errors.ts';
import { keyLength } from '../secrets/authenticated-cipher.ts';
import { type SecretSealer, secretSealer } from '../secrets/sealed-secrets.ts';
import { retried } from '../table/backoff.ts';
import { type ClientLimits, clientLimits } from './aws/client-limits.ts';
import { signedPosts } from './aws/signed-posts.ts';
import { required } from './environment.ts';

/**
 * Seals with a key that is made of the random text in the secret SEALING_SECRET_ARN of AWS Secrets Manager. The process reads that once,
 * while the function initialises, when nobody waits.
 */
export function provideSecrets(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits) {
  const SecretId = required(environment, 'SEALING_SECRET_ARN');
  const region = required(environment, 'AWS_REGION');
  const url = new URL(
    environment.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? `https://secretsmanager.${region}.amazonaws.com`,
  );
  const post = signedPosts(environment, { url, service: 'secretsmanager', region }, limits);
  const backoff = { attempts: limits.maxAttempts, first: 50, longest: 100 };

  async function readKey(): Promise<Uint8Array> {
    const headers = {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'secretsmanager.GetSecretValue',
    };
    const { statusCode, body } = await post('/', headers, { SecretId });
    if (statusCode !== 200) {
      throw new Refusal(statusCode, String(body));
    }
    const { SecretString } = JSON.parse(String(body)) as { SecretString: string };
    return new Uint8Array(hkdfSync('sha256', SecretString, '', 'secrets in the table', keyLength));
  }

  let held: Promise<Uint8Array> | undefined;
  function hold(reading: Promise<Uint8Array>): Promise<Uint8Array> {
    held = reading;
    // A read that failed is not kept: the next use tries again.
    reading.catch(() => {
      held = held === reading ? undefined : held;
    });
    return reading;
  }
  void hold(readKey());

  return ({ random, deadline }: Pick<InvocationScope, 'random' | 'deadline'>): SecretSealer => {
    const readAgain = () =>
      hold(
        retried({ ...backoff, random, deadline }, readKey, {
          isRetryable: isTransient,
          exhausted: unavailable,
        }),
      );
    return secretSealer(() => held?.catch(readAgain) ?? readAgain());
  };
}

/** An unsuccessful response of Secrets Manager, named by its error code. */
class Refusal extends Error {
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(httpStatusCode: number, text: string) {
    const name = /"__type"\s*:\s*"(?:[^"#]*#)?([^"]*)"/.exec(text)?.[1] ?? 'UnknownError';
    super(`Secrets Manager responded ${httpStatusCode} ${name}`);
    this.name = name;
    this.$metadata = { httpStatusCode };
  }
}
