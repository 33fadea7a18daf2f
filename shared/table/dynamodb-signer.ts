import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The client's. Read for every request, because the credentials of a role expire. */
interface SignerConfig {
  readonly credentials: () => Promise<Credentials>;
  readonly region: () => Promise<string>;
}

interface SigningOptions {
  readonly signingDate?: Date;
  readonly signingRegion?: string;
  readonly signingService?: string;
}

/** The headers of a request to DynamoDB before signing, in the order of the signature. */
const expected = ['amz-sdk-invocation-id', 'amz-sdk-request', 'content-type', 'host', 'x-amz-target'];

/** Values that the signature would have to normalize. */
const uneven = /[\r\n\t]| {2}|^ | $/;

/**
 * Signs requests to DynamoDB with AWS Signature Version 4, to the letter like the SDK's signer, but only one form of request:
 * POST to the root of an endpoint with the headers above. The SDK's signer signs all others.
 */
export class TableSigner {
  readonly #config: () => SignerConfig;
  #key: { readonly of: string; readonly secret: string; readonly key: KeyObject } | undefined;

  constructor(config: () => SignerConfig) {
    this.#config = config;
  }

  async sign(request: HttpRequest, options: SigningOptions): Promise<HttpRequest> {
    const config = this.#config();
    const credentials = await config.credentials();
    const region = options.signingRegion ?? (await config.region());
    const { signingDate = new Date(), signingService: service = 'dynamodb' } = options;
    if (!isExpected(request)) {
      const signer = new SignatureV4({ credentials, region, service, sha256: Sha256 });
      return (await signer.sign(request, { signingDate })) as HttpRequest;
    }
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const { headers } = request;
    const time = signingDate.toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const digest = hash('sha256', request.body, 'hex');
    const token = sessionToken ? `x-amz-security-token:${sessionToken}\n` : '';
    const names = `amz-sdk-invocation-id;amz-sdk-request;content-type;host;x-amz-content-sha256;x-amz-date;${token && 'x-amz-security-token;'}x-amz-target`;
    const canonical = `POST
/

amz-sdk-invocation-id:${headers['amz-sdk-invocation-id']}
amz-sdk-request:${headers['amz-sdk-request']}
content-type:${headers['content-type']}
host:${headers.host}
x-amz-content-sha256:${digest}
x-amz-date:${time}
${token}x-amz-target:${headers['x-amz-target']}

${names}
${digest}`;
    const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
    const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', canonical, 'hex')}`;
    const signature = createHmac('sha256', this.#keyFor(scope, secretAccessKey)).update(text).digest('hex');
    // A copy, because a retry signs the original again.
    const signed = HttpRequest.clone(request);
    Object.assign(signed.headers, {
      'x-amz-date': time,
      ...(sessionToken && { 'x-amz-security-token': sessionToken }),
      'x-amz-content-sha256': digest,
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    });
    return signed;
  }

  /** The key for a day, a region and a service. It changes at midnight and with the credentials. */
  #keyFor(scope: string, secret: string): KeyObject {
    if (this.#key?.of !== scope || this.#key.secret !== secret) {
      const bytes = scope
        .split('/')
        .reduce((key, part) => createHmac('sha256', key).update(part).digest(), Buffer.from(`AWS4${secret}`));
      this.#key = { of: scope, secret, key: createSecretKey(bytes) };
    }
    return this.#key.key;
  }
}

function isExpected({ method, path, query, headers, body }: HttpRequest): boolean {
  return (
    method === 'POST' &&
    path === '/' &&
    Object.keys(query).length === 0 &&
    (typeof body === 'string' || body instanceof Uint8Array) &&
    Object.keys(headers).length === expected.length &&
    expected.every((name) => headers[name] !== undefined && !uneven.test(headers[name]))
  );
}
