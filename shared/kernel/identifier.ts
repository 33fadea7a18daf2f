/** The identifiers that the service creates for its records. Source: decisions 1, "Identifiers". */
export const identifier = /^[A-Za-z0-9_-]{1,128}$/;

/** Replaces a text that cannot be an identifier. No record has this id, so the response is the same "not found", byte for byte. */
export const unusedId = '-';

/** The string if it can be an identifier, else one that no record has. */
export function toId(text: string): string {
  return identifier.test(text) ? text : unusedId;
}
