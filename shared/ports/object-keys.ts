/** The purposes of objects, with the first segment of their keys. IAM policies and the bucket's lifecycle rules use it too. */
const firstSegments = { uploads: 'org', files: 'files', documents: 'documents', exports: 'exports' } as const;

export type ObjectArea = keyof typeof firstSegments;

/** The prefix of all keys of an area, in every organization. */
export function areaPrefix(area: ObjectArea): string {
  return `${firstSegments[area]}/`;
}

export interface ObjectKeys {
  /** The full key. @throws when the relative key is empty or leads elsewhere, or when {@link isKey} refuses the full one. */
  keyOf(relative: string): string;
  /** The reverse of `keyOf`; undefined for other organizations' keys and for what is not a key. */
  relativeKey(key: string): string | undefined;
}

/** The keys of one organization's objects in an area. @throws for an id that would reach beyond its folder. */
export function objectKeys(area: ObjectArea, organizationId: string): ObjectKeys {
  if (!isKey(organizationId) || organizationId.includes('/')) {
    throw new Error('The id of an organization cannot be part of an object key');
  }
  const prefix = `${areaPrefix(area)}${organizationId}/`;
  return {
    keyOf(relative) {
      if (!isKey(prefix + relative)) {
        throw new Error(
          `An object key under ${prefix} is empty or too long, or has a segment or character it must not have`,
        );
      }
      return prefix + relative;
    },
    relativeKey: (key) => (key.startsWith(prefix) && isKey(key) ? key.slice(prefix.length) : undefined),
  };
}

/** In bytes; the limit of S3. */
const longestKey = 1024;

/**
 * Whether a text may be a key: no empty segment, no `.` or `..`, no control character, valid Unicode, at most 1,024 bytes, and no
 * `${filename}`, which a form replaces by the name of the uploaded file.
 */
function isKey(text: string): boolean {
  return (
    text.isWellFormed() &&
    Buffer.byteLength(text) <= longestKey &&
    !/\p{Cc}|\$\{filename\}/u.test(text) &&
    text.split('/').every((segment) => !['', '.', '..'].includes(segment))
  );
}
