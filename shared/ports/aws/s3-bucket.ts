import type { S3Client } from '@aws-sdk/client-s3';
import { required } from '../environment.ts';
import { type ClientLimits, clientLimits } from './client-limits.ts';
import { clientConfiguration, lateClient } from './late-client.ts';

/** The deployment's bucket. */
export interface Bucket {
  readonly name: string;
  /** The commands of the SDK, and the client that the process shares. */
  load(): Promise<typeof import('@aws-sdk/client-s3') & { readonly client: S3Client }>;
}

/** @throws when the environment does not name the bucket, the region or the credentials. */
export function bucketFrom(environment: NodeJS.ProcessEnv, limits: ClientLimits = clientLimits): Bucket {
  const name = required(environment, 'BUCKET_NAME');
  const { AWS_ENDPOINT_URL_S3: endpoint } = environment;
  const configuration = {
    ...clientConfiguration(environment, endpoint, limits),
    // No DNS knows a bucket's own host at another endpoint.
    forcePathStyle: endpoint !== undefined,
    // The signature covers the bytes already.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } as const;
  const load = lateClient(async () => {
    const sdk = await import('@aws-sdk/client-s3');
    return { ...sdk, client: new sdk.S3Client(configuration) };
  });
  return { name, load };
}
