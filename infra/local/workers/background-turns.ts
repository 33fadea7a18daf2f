/**
 * The turns of work that nobody waits for: as many at a time as allowed, so that it gets in nobody's way. A turn that takes too long is
 * counted no more: one that hangs does not hold all others up.
 */
export class BackgroundTurns<Waiter> {
  readonly #atOnce: number;
  readonly #longestMilliseconds: number;
  readonly #onFree: (next: Waiter) => void;
  /** Those that found none free, the longest ago first. */
  readonly #waiting = new Set<Waiter>();
  #taken = 0;

  /** `onFree` is told whose turn it may be now; it may begin one. */
  constructor(atOnce: number, longestMilliseconds: number, onFree: (next: Waiter) => void) {
    this.#atOnce = atOnce;
    this.#longestMilliseconds = longestMilliseconds;
    this.#onFree = onFree;
  }

  /** Whether a turn is free; who finds none waits for one from now on. */
  isFreeFor(waiter: Waiter): boolean {
    if (this.#taken < this.#atOnce) {
      return true;
    }
    this.#waiting.add(waiter);
    return false;
  }

  /** Begins a turn; returns what ends it. */
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
    // Each is asked once: who cannot begin yet says so itself, when it can.
    for (const waiter of [...this.#waiting]) {
      if (this.#taken >= this.#atOnce) {
        return;
      }
      this.#waiting.delete(waiter);
      this.#onFree(waiter);
    }
  }
}
