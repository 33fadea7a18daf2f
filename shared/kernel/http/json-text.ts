/**
 * An output that is already JSON text, for data that must be returned exactly as it was written, to the last digit. It has the form of
 * the operation's `output`, but the kernel does not parse it.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
