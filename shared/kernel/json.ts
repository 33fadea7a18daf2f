/** The value of a JSON text; undefined when the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text without the byte order mark that some programs put in front of JSON. */
export function withoutByteOrderMark(text: string): string {
  return text.replace(/^\ufeff/, '');
}
