/**
 * Limits how much work that nobody waits for runs at a time. A turn that takes too long no longer counts, so that a hanging one does not
 * hold up all others.
 */
export class BackgroundTurns<Waiter> {
  readonly #atOnce: number;
  readonly #longestMilliseconds: number;
  readonly #onFree: (next: Waiter) => void;
  /** Those that found no turn free, the longest waiting first. */
  readonly #waiting = new Set<Waiter>();
  #taken = 0;

  /** `onFree` is called with whoever may begin a turn now. */
  constructor(atOnce: number, longestMilliseconds: number, onFree: (next: Waiter) => void) {
    this.#atOnce = atOnce;
    this.#longestMilliseconds = longestMilliseconds;
    this.#onFree = onFree;
  }

  /** Whether a turn is free. If not, `waiter` waits for one from now on. */
  isFreeFor(waiter: Waiter): boolean {
    if (this.#taken < this.#atOnce) {
      return true;
    }
    this.#waiting.add(waiter);
    return false;
  }

  /** Begins a turn; returns a function that ends it. */
  begin(): () => void {
    this.#taken += 1;
    let isOver = false;
    const end = () => {
      clearTimeout(timer);
      if (!isOver) {
        isOver = true;
        this.#taken -= 1;
        this.#offer();
      }
    };
    const timer = setTimeout(end, this.#longestMilliseconds);
    return end;
  }

  #offer(): void {
    // Each is called once: a waiter that cannot begin yet asks again when it can.
    for (const waiter of [...this.#waiting]) {
      if (this.#taken >= this.#atOnce) {
        return;
      }
      this.#waiting.delete(waiter);
      this.#onFree(waiter);
    }
  }
}
