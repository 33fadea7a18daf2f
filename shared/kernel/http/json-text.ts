/**
 * An output that is already JSON text, for data that must be returned exactly as it was written, to the last digit. It has the form of
 * the operation's `output`, but the kernel does not parse it.
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
