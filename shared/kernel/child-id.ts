const ulidLength = 26;

/**
 * The id of a contact's child (a note, a conversation, an application, …): a new ULID followed by the contact's id. It sorts by
 * time and contains the contact, so that one strongly consistent round trip reads the record and the contact that decides who may
 * see it.
 */
export function childId(contactId: string, newId: string): string {
  return `${newId}${contactId}`;
}

/** The contact of the child with this id; for any other text, an id that no contact has. */
export function contactIdIn(id: string): string {
  return id.slice(ulidLength) || '-';
}
