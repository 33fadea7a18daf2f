import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Credentials } from './environment.ts';
import { amzDate } from './object-store/signature.ts';

/** In bytes; DynamoDB takes 16 MB. */
const maxBytes = 17 * 1024 * 1024;

/**
 * The body of a request that a program of this machine has signed with the host's credentials. Any other is refused, and answered
 * undefined: above all that of a page, which could reach every port of the machine that its browser runs on.
 */
export async function admittedBody(
  request: IncomingMessage,
  response: ServerResponse,
  credentials: Credentials,
): Promise<Buffer | undefined> {
  try {
    const body = isFromPage(request) ? undefined : await bodyOf(request);
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

/** In the words of DynamoDB, Secrets Manager and Lambda. */
const refusal = JSON.stringify({
  __type: 'com.amazon.coral.service#UnrecognizedClientException',
  message:
    'The request is not signed with the credentials of this host, which are in aws.env of its data directory, or comes from a page.',
});

/**
 * Whether a page may have sent the request: browsers say so. A page may also let the name of its own server lead to this machine, to
 * be of one origin with what it asks: that has no other name than its addresses.
 */
export function isFromPage({ headers }: IncomingMessage): boolean {
  const { origin, host = '' } = headers;
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return (
    origin !== undefined ||
    headers['sec-fetch-site'] !== undefined ||
    (isIP(name) === 0 && name.toLowerCase() !== 'localhost')
  );
}

/** All of the body; undefined when it is too long. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) {
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const authorizationHeader =
  /^AWS4-HMAC-SHA256 +Credential=[^/,]+\/\d{8}\/([^/,]+)\/([^/,]+)\/aws4_request, *SignedHeaders=([^,]+), *Signature=([\da-f]{64})$/;

/** Signs what was signed once more. Source: AWS Signature Version 4. */
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
  // A client may sign the hash of the body beside it, which counts in place of the body.
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
