import { accepts } from './accepted-coding.ts';
import { type Asset, codings } from './asset.ts';
import type { HttpEvent, HttpResponse } from './http-event.ts';
import { responseHeaders } from './response.ts';

interface AssetResponseOptions {
  readonly requestId: string;
  readonly overHttps: boolean;
  readonly contentType?: string;
  /** The operation's own response headers. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/**
 * Responds with a document that changes only with a deployment: clients keep it and revalidate it with each request (`no-cache`
 * means that, not "do not store").
 */
export function assetResponse(
  asset: Asset,
  asked: HttpEvent['headers'],
  { contentType = 'application/json', requestId, overHttps, headers }: AssetResponseOptions,
): HttpResponse {
  const common = {
    ...responseHeaders(contentType, requestId, overHttps),
    'cache-control': 'no-cache',
    etag: asset.etag,
    vary: 'accept-encoding',
    ...asset.headers,
    ...headers,
  };
  if (isKnown(asset.etag, asked['if-none-match'])) {
    return { statusCode: 304, headers: common, body: '' };
  }
  const coding = codings.find((name) => accepts(asked['accept-encoding'], name));
  return coding === undefined
    ? { statusCode: 200, headers: common, body: asset.text }
    : {
        statusCode: 200,
        headers: { ...common, 'content-encoding': coding },
        body: asset.coded(coding),
        isBase64Encoded: true,
      };
}

/** Whether the client already has the document. Source: RFC 9110, 13.1.2: entity tags are compared weakly. */
function isKnown(etag: string, ifNoneMatch = ''): boolean {
  const opaque = etag.replace(/^W\//, '');
  return (
    ifNoneMatch.trim() === '*' ||
    [...ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)].some(([, known]) => known === opaque)
  );
}
