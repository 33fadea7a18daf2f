import { keyParts, type Space } from './key.ts';

/** The first parts of every partition in a key space. */
export type SpacePrefix<S extends Space> = readonly string[] & { readonly _space?: S };

/** The partition prefix of an organization. The organization's port cannot leave it. */
export const organizationSpace = (organizationId: string): SpacePrefix<'organization'> => [
  'ORG',
  organizationId,
];

export const identitySpace: SpacePrefix<'identity'> = ['IDENTITY'];

/** Records that every organization reads and none owns. */
export const platformSpace: SpacePrefix<'platform'> = ['PLATFORM'];

/** The organization of a partition; undefined if it belongs to none. */
export function organizationIn(partition: string): string | undefined {
  const [space, organizationId] = keyParts(partition);
  return space === 'ORG' && organizationId ? organizationId : undefined;
}

/** The contact of a partition that holds a contact and its separation data; undefined for any other partition. */
export function contactIn(partition: string): string | undefined {
  const [, , kind, contactId, ...rest] = keyParts(partition);
  const isContact = organizationIn(partition) !== undefined && kind === 'CONTACT' && rest.length === 0;
  return isContact && contactId ? contactId : undefined;
}
