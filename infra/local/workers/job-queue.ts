/** Callers with events within this time share a function: none of them gets its last free worker. */
const recentMilliseconds = 10_000;

/** An event that waits for a worker. */
export interface Waiting {
  /** The organization on whose behalf the event is handled, if the gateway knows it. */
  readonly caller?: string | undefined;
}

/**
 * The events that wait for one function. Callers take turns, however many events each has, and the events of one caller keep their order.
 * So a caller with many events only delays itself.
 */
export class JobQueue<Job extends Waiting> {
  /** The events of each caller that has any. The caller whose turn is next comes first. */
  readonly #byCaller = new Map<string | undefined, Job[]>();
  /** The time of the last event of each recent caller, the earliest first. */
  readonly #lastSeen = new Map<string | undefined, number>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** `now` in milliseconds. */
  add(job: Job, now: number): void {
    const { caller } = job;
    this.#lastSeen.delete(caller);
    this.#lastSeen.set(caller, now);
    for (const [one, time] of this.#lastSeen) {
      if (now - time <= recentMilliseconds) {
        break;
      }
      this.#lastSeen.delete(one);
    }
    this.#of(caller).push(job);
    this.#length += 1;
  }

  /** Puts back events that were taken and not begun; they come first again. */
  putBack(jobs: readonly Job[]): void {
    const others = [...this.#byCaller];
    this.#byCaller.clear();
    for (const job of jobs) {
      this.#of(job.caller).push(job);
    }
    for (const [caller, own] of others) {
      this.#of(caller).push(...own);
    }
    this.#length += jobs.length;
  }

  /** Takes at most `most` events, from one caller after the other, and none from a caller that `mayTake` refuses. */
  take(most: number, mayTake: (caller: string | undefined) => boolean = () => true): Job[] {
    const taken: Job[] = [];
    // A caller with more events moves to the end, so this loop reaches it again.
    for (const [caller, own] of this.#byCaller) {
      if (taken.length >= most) {
        break;
      }
      const job = mayTake(caller) ? own.shift() : undefined;
      if (job !== undefined) {
        taken.push(job);
        this.#byCaller.delete(caller);
        if (own.length > 0) {
          this.#byCaller.set(caller, own);
        }
      }
    }
    this.#length -= taken.length;
    return taken;
  }

  takeAll(): Job[] {
    return this.take(Number.POSITIVE_INFINITY);
  }

  /** Whether other callers also had events for this function recently. */
  hasOtherCallers(caller: string | undefined, now: number): boolean {
    for (const [other, time] of this.#lastSeen) {
      if (other !== caller && now - time <= recentMilliseconds) {
        return true;
      }
    }
    return false;
  }

  #of(caller: string | undefined): Job[] {
    const own = this.#byCaller.get(caller) ?? [];
    this.#byCaller.set(caller, own);
    return own;
  }
}
