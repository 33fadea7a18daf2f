/**
 * An output that is JSON text already, for data that must return exactly as it was written, to the last digit. It matches the
 * operation's `output`, but is not parsed by it.
 */
export class JsonText {
  readonly text: string;
  #byteLength: number | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Its bytes in UTF-8, counted once. */
  get byteLength(): number {
    this.#byteLength ??= Buffer.byteLength(this.text);
    return this.#byteLength;
  }
}
