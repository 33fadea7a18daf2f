import { StoreError } from './errors.ts';
import type { ObjectRecord } from './objects.ts';
import { uriEncoded } from './request-head.ts';
import { element, type Xml, xmlDocument } from './xml.ts';

const longestPage = 1000;

/** An object, or all objects whose keys begin alike up to the delimiter. */
type Entry = { name: string; record?: ObjectRecord };

/** The answer of ListObjectsV2 about `records`, all objects of the bucket in the order of their keys. */
export function listing(bucket: string, records: ObjectRecord[], query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const startAfter = query.get('start-after') ?? '';
  const token = query.get('continuation-token');
  const encoded = encoding(query.get('encoding-type'));
  const pageSize = Math.min(count(query.get('max-keys') ?? String(longestPage)), longestPage);
  const last = token === null ? undefined : lastNameOf(token);

  const matching = records.filter(
    ({ key }) => key.startsWith(prefix) && (last !== undefined || isAfter(key, startAfter)),
  );
  const all = entries(matching, prefix, delimiter).filter(({ name }) => isAfter(name, last ?? ''));
  const page = all.slice(0, pageSize);
  const isTruncated = pageSize > 0 && all.length > page.length;

  return xmlDocument('ListBucketResult', [
    element('Name', bucket),
    element('Prefix', encoded(prefix)),
    element('Delimiter', delimiter === '' ? undefined : encoded(delimiter)),
    element('StartAfter', startAfter === '' ? undefined : encoded(startAfter)),
    element('ContinuationToken', token ?? undefined),
    element('NextContinuationToken', isTruncated ? tokenOf(page.at(-1)?.name ?? '') : undefined),
    element('EncodingType', query.get('encoding-type') ?? undefined),
    element('KeyCount', page.length),
    element('MaxKeys', pageSize),
    element('IsTruncated', isTruncated),
    ...page.map((entry) => entryElement(entry, encoded)),
  ]);
}

function entries(records: ObjectRecord[], prefix: string, delimiter: string): Entry[] {
  const found = new Map<string, Entry>();
  for (const record of records) {
    const end = delimiter === '' ? -1 : record.key.indexOf(delimiter, prefix.length);
    const isObject = end < 0;
    const name = isObject ? record.key : record.key.slice(0, end + delimiter.length);
    found.set(name, isObject ? { name, record } : { name });
  }
  return [...found.values()];
}

function entryElement({ name, record }: Entry, encoded: (text: string) => string): Xml {
  if (!record) {
    return element('CommonPrefixes', [element('Prefix', encoded(name))]);
  }
  return element('Contents', [
    element('Key', encoded(name)),
    element('LastModified', record.lastModified),
    element('ETag', record.etag),
    element('ChecksumAlgorithm', record.checksum?.algorithm.toUpperCase()),
    element('Size', record.size),
    element('StorageClass', 'STANDARD'),
  ]);
}

function encoding(type: string | null): (text: string) => string {
  if (type === null) {
    return (text) => text;
  }
  if (type === 'url') {
    return (text) => text.split('/').map(uriEncoded).join('/');
  }
  throw new StoreError(
    'InvalidArgument',
    { ArgumentName: 'encoding-type', ArgumentValue: type },
    'Invalid Encoding Method specified in Request',
  );
}

function count(text: string): number {
  if (/^\d{1,9}$/.test(text)) {
    return Number(text);
  }
  throw new StoreError(
    'InvalidArgument',
    { ArgumentName: 'max-keys', ArgumentValue: text },
    'Provided max-keys not an integer or within integer range',
  );
}

function isAfter(name: string, other: string): boolean {
  return Buffer.compare(Buffer.from(name), Buffer.from(other)) > 0;
}

function tokenOf(lastName: string): string {
  return Buffer.from(lastName).toString('base64url');
}

function lastNameOf(token: string): string {
  const name = Buffer.from(token, 'base64url').toString();
  if (token !== '' && tokenOf(name) === token) {
    return name;
  }
  throw new StoreError(
    'InvalidArgument',
    { ArgumentName: 'continuation-token', ArgumentValue: token },
    'The continuation token provided is incorrect',
  );
}
