import { StoreError } from './errors.ts';
import type { RequestHead } from './request-head.ts';

/**
 * The parts of S3 that the store implements. Anything else could change the meaning of a request, and is refused, except `If-None-Match`
 * and `If-Modified-Since`: these are ignored, because a 304 only saves bytes.
 */
const methods = ['GET', 'HEAD', 'PUT', 'DELETE'];
const queryParameter =
  /^(x-id|response-[\w-]+|x-amz-(algorithm|checksum-mode|content-sha256|credential|date|expires|security-token|signature|signedheaders))$/i;
const amzHeader =
  /^x-amz-(checksum-(crc32|mode|sha256)|content-sha256|copy-source(-if-match)?|date|sdk-checksum-algorithm|security-token|user-agent)$/;
const formField =
  /^(bucket|cache-control|content-(disposition|encoding|language|type)|expires|file|key|policy|x-amz-(algorithm|credential|date|security-token|signature)|x-ignore-.*)$/;
const foreignHeader = /^(content-md5|if-unmodified-since)$/;

/** @throws NotImplemented when a request needs something that the store does not implement. */
export function requireImplemented({ method, key, query, headers }: RequestHead): void {
  if (key === '' || !methods.includes(method)) {
    throw new StoreError('NotImplemented', { Method: method });
  }
  refuseFirst('Query', query.keys(), (name) => {
    // Only the newest version is kept, so only its deletion can name it.
    return !queryParameter.test(name) && !(method === 'DELETE' && name === 'versionId');
  });
  refuseFirst('Header', headers.keys(), (name) => {
    const isForeign = name.startsWith('x-amz-') ? !amzHeader.test(name) : foreignHeader.test(name);
    const isForeignHere = method === 'PUT' ? name === 'if-none-match' : name === 'if-match';
    return isForeign || isForeignHere || (name === 'if-match' && headers.has('x-amz-copy-source'));
  });
  // Content in chunks, or without its hash, as with a presigned URL.
  if (method === 'PUT' && !/^[\da-f]{64}$/.test(headers.get('x-amz-content-sha256') ?? '')) {
    throw new StoreError('NotImplemented', { Header: 'x-amz-content-sha256' });
  }
}

/** The same for the fields of a form. */
export function requireImplementedForm(fields: ReadonlyMap<string, string>): void {
  refuseFirst('Field', fields.keys(), (name) => !formField.test(name) || isTemplate(fields.get(name)));
}

/** Whether S3 would replace a part of this text by the name of the file. */
function isTemplate(value = ''): boolean {
  return value.includes('$' + '{filename}');
}

function refuseFirst(kind: string, names: Iterable<string>, isForeign: (name: string) => boolean): void {
  const foreign = [...names].find(isForeign);
  if (foreign !== undefined) {
    throw new StoreError('NotImplemented', { [kind]: foreign });
  }
}
