import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest, type HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Credentials } from '../environment.ts';
import { region } from '../template/intrinsics.ts';

/** Milliseconds until a connection is open, and until the response begins. */
export interface Timeouts {
  readonly connectionTimeout: number;
  readonly requestTimeout: number;
}

/** Sends requests to a database in its own JSON, as the SDK's client does. The body of a response is a stream. */
export interface SignedRequests {
  /** `target` names the version and the operation. Rejects when there is no response; a response with an error is returned. */
  send(target: string, contentType: string, body: string | Buffer): Promise<HttpResponse>;
  close(): void;
}

/** Requests to the database at this URL, signed with these credentials. Without timeouts they wait indefinitely. */
export function signedRequests(
  endpoint: string,
  credentials: Credentials,
  timeouts?: Timeouts,
): SignedRequests {
  const url = new URL(endpoint);
  const http = new NodeHttpHandler({ ...timeouts, throwOnRequestTimeout: true });
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
