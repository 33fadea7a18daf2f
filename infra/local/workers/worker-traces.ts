// What a worker and the host share in memory: an endless loop, an exit or a lack of memory gives a worker no time for a message. Its
// last lines tell why, and the events that it has not begun can go to another.

const headerBytes = 8;
const maxTextBytes = 16 * 1024;
const lengthAt = 0;
const nextAt = 1;

/** More than events are sent together. Numbers begin again after 32 bits. */
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

  /** Printed, and not yet part of a message. */
  get text(): string {
    return this.#text.toString('utf8', 0, Atomics.load(this.#header, lengthAt));
  }

  /** Puts this text in the place of the former. False if it is too long: then there is none. */
  keep(text: string): boolean {
    const fits = text.length * 3 <= maxTextBytes;
    Atomics.store(this.#header, lengthAt, fits && text !== '' ? this.#text.write(text) : 0);
    return fits;
  }

  /** The number that the next event has. */
  get next(): number {
    return Atomics.load(this.#header, nextAt);
  }

  /** Whether the worker may begin the event with this number. */
  begin(number: number): boolean {
    return Atomics.compareExchange(this.#header, nextAt, number, (number + 1) | 0) === number;
  }

  /** Takes all events back that have not begun. Returns the number of the first of them. */
  recall(): number {
    return Atomics.add(this.#header, nextAt, skippedNumbers);
  }
}
