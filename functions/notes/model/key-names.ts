const longestName = 100;

/** A file name as the last part of a key: Latin letters, digits, dots, dashes and underscores, with its extension. */
export function objectKeyName(fileName: string): string {
  const plain = fileName
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-');
  const [, stem = '', extension = ''] = /^(.*?)(\.[A-Za-z0-9]{1,16})?$/.exec(plain) ?? [];
  const trimmed = stem.replaceAll(/^[.-]+|[.-]+$/g, '').slice(0, longestName - extension.length);
  return `${trimmed || 'file'}${extension}`;
}
