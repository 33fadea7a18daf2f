/** What objects are for, with the segment that their keys begin with. Roles and the bucket's lifecycle go by it too. */
const firstSegments = { uploads: 'org', documents: 'documents', exports: 'exports' } as const;

export type ObjectArea = keyof typeof firstSegments;

/** What every key of an area begins with, whatever the organization. */
export function areaPrefix(area: ObjectArea): string {
  return `${firstSegments[area]}/`;
}

/** The keys of one area of one organization. */
export interface ObjectKeys {
  /** The full key. @throws when the relative one is empty, could reach elsewhere, or is no key for {@link isKey}. */
  keyOf(relative: string): string;
  /** What follows the organization in a full key; undefined for a key of anybody else, and for what is no key. */
  relativeKey(key: string): string | undefined;
}

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

/** Bytes; the store's own limit. */
const longestKey = 1024;

/**
 * Whether a text may be a key: no empty segment, no `.` or `..`, no control character, valid Unicode, at most 1,024
 * bytes, and without `${filename}`, in whose place a form puts the name of the file that is sent.
 */
function isKey(text: string): boolean {
  return (
    text.isWellFormed() &&
    Buffer.byteLength(text) <= longestKey &&
    !/\p{Cc}|\$\{filename\}/u.test(text) &&
    text.split('/').every((segment) => !['', '.', '..'].includes(segment))
  );
}
