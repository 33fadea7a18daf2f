/**
 * An answer that is JSON text already, for what must come back as it was written, to the last digit. It is what the
 * operation's `output` describes, without passing through it.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
