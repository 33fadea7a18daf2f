/** Values that a warm process remembers by name: the `capacity` that were used last. */
export class LruCache<Value> {
  readonly #capacity: number;
  readonly #values = new Map<string, Value>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) {
      this.set(key, value);
    }
    return value;
  }

  set(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const oldest = this.#values.keys().next();
    if (this.#values.size > this.#capacity && !oldest.done) {
      this.#values.delete(oldest.value);
    }
  }
}
