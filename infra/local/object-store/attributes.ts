import { StoreError } from './errors.ts';
import type { ObjectRecord } from './objects.ts';

const keptNames = [
  'content-type',
  'content-disposition',
  'content-encoding',
  'content-language',
  'cache-control',
  'expires',
];

/** The headers to store with an object; `given` are the headers or form fields of its upload, by lower-case name. */
export function keptHeaders(sent: ReadonlyMap<string, string>): Record<string, string> {
  const present = keptNames.map((name) => [name, sent.get(name) ?? ''] as const);
  return Object.fromEntries(
    present
      .filter(([, value]) => value !== '')
      .map(([name, value]) => {
        // A form field can contain line breaks, which would begin another header in a response.
        if (/\p{Cc}/u.test(value)) {
          throw invalid(name, value, 'Header value must not hold control characters.');
        }
        return [name, value];
      }),
  );
}

/** The headers of a response about an object. Query parameters such as `response-content-type` override them. */
export function responseHeaders(record: ObjectRecord, query: URLSearchParams): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'binary/octet-stream',
    etag: record.etag,
    'last-modified': new Date(record.lastModified).toUTCString(),
    'accept-ranges': 'bytes',
    'x-amz-version-id': record.version,
  };
  for (const name of keptNames) {
    const kept = record.headers[name];
    if (kept !== undefined) {
      headers[name] = Buffer.from(kept).toString('latin1');
    }
    const override = query.get(`response-${name}`);
    if (override !== null) {
      headers[name] = latin1(`response-${name}`, override);
    }
  }
  return headers;
}

function latin1(name: string, value: string): string {
  if (/^[\x20-\x7e\xa0-\xff]*$/.test(value)) {
    return value;
  }
  throw invalid(name, value, 'Header value cannot be represented using ISO-8859-1.');
}

function invalid(ArgumentName: string, ArgumentValue: string, message: string): StoreError {
  return new StoreError('InvalidArgument', { ArgumentName, ArgumentValue }, message);
}
