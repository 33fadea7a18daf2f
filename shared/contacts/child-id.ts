/**
 * What a contact owns (notes, conversations, applications, …) has an id made of its own ULID and the contact's id: sorted by time
 * like every other, and it tells the contact without a look-up. So one strongly consistent round trip reads the record and
 * the contact that decides who may see it.
 */
const ulidLength = 26;

export function childId(contactId: string, newId: string): string {
  return `${newId}${contactId}`;
}

/** The contact that owns what has this id; for any other text, one that no contact has. */
export function contactIdIn(id: string): string {
  return id.slice(ulidLength) || '-';
}
