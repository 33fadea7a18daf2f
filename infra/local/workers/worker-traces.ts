// Memory that a worker shares with the host, because a worker in an endless loop, at an exit or out of memory cannot send a message. Its
// last lines of output say why, and another worker can take the events that it has not begun.

const headerBytes = 8;
const maxTextBytes = 16 * 1024;
const lengthAt = 0;
const nextAt = 1;

/** A larger number than that of events that are sent together. Numbers wrap around after 32 bits. */
const skippedNumbers = 1_000;

export class WorkerTraces {
  readonly buffer: SharedArrayBuffer;
  readonly #header: Int32Array;
  readonly #text: Buffer;

  constructor(buffer = new SharedArrayBuffer(headerBytes + maxTextBytes)) {
    this.buffer = buffer;
    this.#header = new Int32Array(buffer, 0, headerBytes / Int32Array.BYTES_PER_ELEMENT);
    this.#text = Buffer.from(buffer, headerBytes);
  }

  /** Output that is not part of a message yet. */
  get text(): string {
    return this.#text.toString('utf8', 0, Atomics.load(this.#header, lengthAt));
  }

  /** Replaces the output by this text. Returns false, and keeps none, if the text is too long. */
  keep(text: string): boolean {
    const fits = text.length * 3 <= maxTextBytes;
    Atomics.store(this.#header, lengthAt, fits && text !== '' ? this.#text.write(text) : 0);
    return fits;
  }

  /** The number of the next event. */
  get next(): number {
    return Atomics.load(this.#header, nextAt);
  }

  /** Whether the worker may begin the event with this number. */
  begin(number: number): boolean {
    return Atomics.compareExchange(this.#header, nextAt, number, (number + 1) | 0) === number;
  }

  /** Takes back all events that have not begun. Returns the number of the first of them. */
  recall(): number {
    return Atomics.add(this.#header, nextAt, skippedNumbers);
  }
}
