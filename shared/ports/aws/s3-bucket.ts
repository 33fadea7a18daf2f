import { Sha256 } from '@smithy/core/checksum';
import { escapeUriPath, HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { type AwsCredentials, credentialsIn, required } from '../environment.ts';

/**
 * The deployment's bucket, and the signer of requests to it. Every client of the SDK contains this signer, so it is in the bundle
 * already; the S3 client itself would nearly double the bundle, for five kinds of requests.
 */
export interface Bucket {
  readonly name: string;
  /** The address of the bucket; the path ends with a slash. */
  readonly url: URL;
  readonly region: string;
  readonly credentials: AwsCredentials;
  readonly signer: SignatureV4;
}

/** @throws when the environment does not name the bucket, the region or the credentials. */
export function bucketOf(environment: NodeJS.ProcessEnv): Bucket {
  const name = required(environment, 'BUCKET_NAME');
  const region = required(environment, 'AWS_REGION');
  const credentials = credentialsIn(environment);
  return {
    name,
    url: urlOf(name, region, environment.AWS_ENDPOINT_URL_S3),
    region,
    credentials,
    // S3 signs paths as they are sent; other services encode them a second time.
    signer: new SignatureV4({ service: 's3', region, credentials, sha256: Sha256, uriEscapePath: false }),
  };
}

/** On AWS the bucket's name is in the host; at any other endpoint it is in the path, because no DNS would know that host. */
function urlOf(name: string, region: string, endpoint: string | undefined): URL {
  if (endpoint !== undefined) {
    return new URL(`${endpoint.replace(/\/$/, '')}/${name}/`);
  }
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return new URL(`https://${name}.s3.${region}.${suffix}/`);
}

export interface RequestParts {
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly body?: Uint8Array;
}

/** A request to the bucket that is not signed yet. */
export function objectRequest(
  { url }: Bucket,
  method: string,
  key: string,
  { query = {}, headers = {}, body }: RequestParts = {},
): HttpRequest {
  return new HttpRequest({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port && { port: Number(url.port) }),
    path: url.pathname + escapeUriPath(key),
    query,
    headers: { host: url.host, ...headers },
    body,
  });
}
