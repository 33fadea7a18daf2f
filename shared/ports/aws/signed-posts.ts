import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { AwsHttp } from '../../table/aws-http.ts';
import { credentialsIn } from '../environment.ts';
import type { ClientLimits } from './client-limits.ts';

export interface SignedEndpoint {
  readonly url: URL;
  /** The service's name in signatures, for example `sqs`. */
  readonly service: string;
  readonly region: string;
}

/**
 * Posts JSON to an AWS service, signed with the function's credentials. For one kind of request the SDK's client of the service would add a
 * fifth to a bundle; signer and HTTP client are in it already.
 */
export function signedPosts(
  environment: NodeJS.ProcessEnv,
  { url, service, region }: SignedEndpoint,
  { requestHandler }: ClientLimits,
) {
  const signer = new SignatureV4({
    service,
    region,
    credentials: credentialsIn(environment),
    sha256: Sha256,
  });
  const http = new AwsHttp(requestHandler);
  return async (path: string, headers: Record<string, string>, input: object) => {
    const request = new HttpRequest({
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port !== '' && { port: Number(url.port) }),
      method: 'POST',
      path,
      headers: { host: url.host, ...headers },
      body: JSON.stringify(input),
    });
    const { response } = await http.handle((await signer.sign(request)) as HttpRequest);
    return response;
  };
}
