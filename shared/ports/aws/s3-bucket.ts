import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { credentialsIn, required } from '../environment.ts';
import { type ClientLimits, clientLimits } from './client-limits.ts';

/** The deployment's bucket. */
export interface Bucket {
  readonly name: string;
  /** The commands of the SDK, and the client that the process shares. They are loaded late: most functions seldom ask for objects. */
  load(): Promise<typeof import('@aws-sdk/client-s3') & { readonly client: S3Client }>;
}

/** @throws when the environment does not name the bucket, the region or the credentials. */
export function bucketOf(
  environment: NodeJS.ProcessEnv,
  { maxAttempts, requestHandler }: ClientLimits = clientLimits,
): Bucket {
  const name = required(environment, 'BUCKET_NAME');
  const { AWS_ENDPOINT_URL_S3: endpoint } = environment;
  const configuration: S3ClientConfig = {
    region: required(environment, 'AWS_REGION'),
    credentials: credentialsIn(environment),
    // No DNS knows a bucket's own host at another endpoint.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // The signature covers the bytes already.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts,
    // The request's timeout ends with the head of the response; the socket's timeout covers the rest.
    ...(requestHandler && {
      requestHandler: { ...requestHandler, socketTimeout: requestHandler.requestTimeout },
    }),
  };
  let loaded: ReturnType<Bucket['load']> | undefined;
  async function load() {
    const sdk = await import('@aws-sdk/client-s3');
    return { ...sdk, client: new sdk.S3Client(configuration) };
  }
  return {
    name,
    load: () => {
      loaded ??= load();
      return loaded;
    },
  };
}
