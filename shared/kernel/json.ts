/** The value that a text is the JSON of; undefined when it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A JSON text without the byte order mark that some programs put in front of it. */
export function withoutByteOrderMark(text: string): string {
  return text.replace(/^\ufeff/, '');
}
