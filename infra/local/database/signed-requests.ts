import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest, type HttpResponse } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { AwsHttp, type AwsHttpLimits } from '../../../shared/table/aws-http.ts';
import type { DatabaseCredentials } from '../credentials.ts';
import { region } from '../template/intrinsics.ts';

/** Sends requests to a database in its own JSON, as the SDK's client does. */
export interface SignedRequests {
  /** `target` names the version and the operation. Rejects when there is no response; a response with an error is returned. */
  send(target: string, contentType: string, body: string | Buffer): Promise<HttpResponse>;
  close(): void;
}

/** Requests to the database at this URL, signed with these credentials. Without limits they wait indefinitely. */
export function signedRequests(
  endpoint: string,
  credentials: DatabaseCredentials,
  limits: Partial<AwsHttpLimits> = {},
): SignedRequests {
  const url = new URL(endpoint);
  const http = new AwsHttp(limits);
  const signer = new SignatureV4({ credentials, region, service: 'dynamodb', sha256: Sha256 });
  return {
    async send(target, contentType, body) {
      const request = new HttpRequest({
        protocol: url.protocol,
        hostname: url.hostname,
        ...(url.port !== '' && { port: Number(url.port) }),
        method: 'POST',
        path: url.pathname,
        headers: { host: url.host, 'content-type': contentType, 'x-amz-target': target },
        body,
      });
      return (await http.handle((await signer.sign(request)) as HttpRequest)).response;
    },
    close: () => http.destroy(),
  };
}
