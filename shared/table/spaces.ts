import { partsOf, type Space } from './key.ts';

/** What every partition of a key space begins with. */
export type SpacePrefix<S extends Space> = readonly string[] & { readonly _space?: S };

/** The partition prefix of an organization: nothing an organization's port does can leave it. */
export const organizationSpace = (organizationId: string): SpacePrefix<'organization'> => [
  'ORG',
  organizationId,
];

/** Apart from every organization's partitions. */
export const identitySpace: SpacePrefix<'identity'> = ['IDENTITY'];

/** Apart from them too: what every organization reads and none owns. */
export const platformSpace: SpacePrefix<'platform'> = ['PLATFORM'];

/** The organization that a partition of the table belongs to; undefined when it belongs to none. */
export function organizationIn(partition: string): string | undefined {
  const [space, organizationId] = partsOf(partition);
  return space === 'ORG' && organizationId ? organizationId : undefined;
}

/** The contact whose own partition this is, with all that the contact owns; undefined when it is of anything else. */
export function contactIn(partition: string): string | undefined {
  const [, , kind, contactId, ...rest] = partsOf(partition);
  const isContact = organizationIn(partition) !== undefined && kind === 'CONTACT' && rest.length === 0;
  return isContact && contactId ? contactId : undefined;
}
