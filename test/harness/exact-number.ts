/** A number in JSON with these digits, of which a double would change some. */
export const exactNumber = (digits: string): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits);
