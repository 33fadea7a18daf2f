import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Credentials } from './environment.ts';
import { readLimitedBody } from './limited-body.ts';
import { amzDate } from './object-store/signature.ts';

/** In bytes; DynamoDB takes 16 MB. */
const maxBytes = 17 * 1024 * 1024;

/**
 * The body of a request that a program on this machine has signed with the host's credentials. Any other request is refused, and the
 * result is undefined: above all a request from a web page, which could reach every port of the machine that its browser runs on.
 */
export async function readAdmittedBody(
  request: IncomingMessage,
  response: ServerResponse,
  credentials: Credentials,
): Promise<Buffer | undefined> {
  try {
    const body = isFromPage(request) ? undefined : await readLimitedBody(request, maxBytes);
    if (body !== undefined && (await isSigned(request, body, credentials))) {
      return body;
    }
    response.writeHead(403, { 'content-type': 'application/x-amz-json-1.0', connection: 'close' });
    response.end(refusal);
  } catch {
    response.destroy(); // The client is gone.
  }
  return undefined;
}

/** As DynamoDB, Secrets Manager and Lambda word it. */
const refusal = JSON.stringify({
  __type: 'com.amazon.coral.service#UnrecognizedClientException',
  message:
    'The request is not signed with the credentials of this host, which are in aws.env of its data directory, or comes from a page.',
});

/**
 * Whether a web page may have sent the request, going by the headers that browsers add. A page may also point the name of its own server
 * at this machine, to make the request one of its own origin: so only addresses and `localhost` are accepted as the host.
 */
export function isFromPage({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { origin, host = '' } = headers;
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return (
    origin !== undefined ||
    headers['sec-fetch-site'] !== undefined ||
    (isIP(name) === 0 && name.toLowerCase() !== 'localhost')
  );
}

/** Whether a page of another origin may have sent the request: neither one of this host, nor a person who opens its address. */
export function isFromOtherPage({ headers }: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, ...others } = headers;
  return isFromPage({ headers: site === 'none' || site === 'same-origin' ? others : headers });
}

const authorizationHeader =
  /^AWS4-HMAC-SHA256 +Credential=[^/,]+\/\d{8}\/([^/,]+)\/([^/,]+)\/aws4_request, *SignedHeaders=([^,]+), *Signature=([\da-f]{64})$/;

/** Computes the signature once more and compares it. Source: AWS Signature Version 4. */
async function isSigned(
  { method = '', url = '', headers }: IncomingMessage,
  body: Buffer,
  credentials: Credentials,
): Promise<boolean> {
  const [, region = '', service = '', names = '', signature] =
    authorizationHeader.exec(headers.authorization ?? '') ?? [];
  const signingDate = amzDate(String(headers['x-amz-date']));
  if (signature === undefined || signingDate === undefined) {
    return false;
  }
  const signedHeaders = names.split(';');
  // A client may send the hash of the body in a header, and sign that header in place of the body.
  const bodyHash = headers['x-amz-content-sha256'];
  if (bodyHash !== undefined && bodyHash !== hash('sha256', body, 'hex')) {
    return false;
  }
  const [path = '', query] = url.split('?');
  const request = new HttpRequest({
    method,
    path,
    query: Object.fromEntries(new URLSearchParams(query)),
    headers: Object.fromEntries(signedHeaders.map((name) => [name, String(headers[name] ?? '')])),
    body,
  });
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256, applyChecksum: false });
  const signed = await signer.sign(request, { signingDate, signableHeaders: new Set(signedHeaders) });
  const expected = /Signature=([\da-f]{64})$/.exec(signed.headers.authorization ?? '')?.[1] ?? '';
  return expected !== '' && timingSafeEqual(Buffer.from(expected), Buffer.from(signature));
}
