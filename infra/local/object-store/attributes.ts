import { StoreError } from './errors.ts';
import type { ObjectRecord } from './objects.ts';

const metadataPrefix = 'x-amz-meta-';
const largestMetadata = 2048;
const keptHeaders = [
  'content-type',
  'content-disposition',
  'content-encoding',
  'content-language',
  'cache-control',
  'expires',
];

/** Headers of an object and its own metadata. */
export type Attributes = Pick<ObjectRecord, 'headers' | 'metadata'>;

/** What an upload says about its object, in headers or in the fields of a form, by lower-case name. */
export function objectAttributes(given: ReadonlyMap<string, string>): Attributes {
  const present = [...given].map(([name, text]) => {
    const value = name === 'content-encoding' ? withoutChunking(text) : text;
    return [name, printable(name, value)] as const;
  });
  const headers = present.filter(([name, value]) => keptHeaders.includes(name) && value !== '');
  const metadata = present
    .filter(([name]) => name.startsWith(metadataPrefix))
    .map(([name, value]) => [name.slice(metadataPrefix.length), value] as const);
  const Size = Buffer.byteLength(metadata.flat().join(''));
  if (Size > largestMetadata) {
    throw new StoreError('MetadataTooLarge', { Size, MaxSizeAllowed: largestMetadata });
  }
  return { headers: Object.fromEntries(headers), metadata: Object.fromEntries(metadata) };
}

/** The headers of an answer about an object. `overrides` are the query's `response-` parameters. */
export function responseHeaders(record: ObjectRecord, query: URLSearchParams): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'binary/octet-stream',
    etag: record.etag,
    'last-modified': new Date(record.lastModified).toUTCString(),
    'accept-ranges': 'bytes',
  };
  for (const [name, value] of Object.entries(record.headers)) {
    headers[name] = Buffer.from(value).toString('latin1');
  }
  for (const [name, value] of Object.entries(record.metadata)) {
    headers[`${metadataPrefix}${name}`] = encodedWord(value);
  }
  for (const name of keptHeaders) {
    const override = query.get(`response-${name}`);
    if (override !== null) {
      headers[name] = latin1(`response-${name}`, override);
    }
  }
  return headers;
}

function withoutChunking(contentEncoding: string): string {
  const codings = contentEncoding.split(',').map((coding) => coding.trim());
  return codings.filter((coding) => coding !== 'aws-chunked').join(',');
}

/** A form field can hold line breaks; in a header of the answer they would begin another header. */
function printable(ArgumentName: string, value: string): string {
  if (!/\p{Cc}/u.test(value)) {
    return value;
  }
  throw new StoreError('InvalidArgument', { ArgumentName }, 'Header value must not hold control characters.');
}

function latin1(ArgumentName: string, value: string): string {
  if (/^[\x20-\x7e\xa0-\xff]*$/.test(value)) {
    return value;
  }
  throw new StoreError(
    'InvalidArgument',
    { ArgumentName, ArgumentValue: value },
    'Header value cannot be represented using ISO-8859-1.',
  );
}

/** RFC 2047, the form in which S3 answers metadata that is not ASCII. */
function encodedWord(value: string): string {
  return /^[\x20-\x7e]*$/.test(value) ? value : `=?UTF-8?B?${Buffer.from(value).toString('base64')}?=`;
}
