/** Holds values up to a total size. Beyond that the least recently used ones go first, be it the new one itself. */
export class LruCache<Key, Value> {
  readonly #capacity: number;
  readonly #sizeOf: (key: Key, value: Value) => number;
  readonly #values = new Map<Key, Value>();
  #size = 0;

  constructor(capacity: number, sizeOf: (key: Key, value: Value) => number) {
    this.#capacity = capacity;
    this.#sizeOf = sizeOf;
  }

  /** The value, without using it. */
  peek(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  get(key: Key): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) {
      this.#values.delete(key);
      this.#values.set(key, value);
    }
    return value;
  }

  put(key: Key, value: Value): void {
    this.#delete(key);
    this.#values.set(key, value);
    this.#size += this.#sizeOf(key, value);
    for (const [oldest] of this.#values) {
      if (this.#size <= this.#capacity) {
        break;
      }
      this.#delete(oldest);
    }
  }

  clear(): void {
    this.#values.clear();
    this.#size = 0;
  }

  #delete(key: Key): void {
    const former = this.#values.get(key);
    if (former !== undefined) {
      this.#size -= this.#sizeOf(key, former);
      this.#values.delete(key);
    }
  }
}
