/** Callers whose events have come within this time share a function: none of them takes its last free worker. */
const recentMilliseconds = 10_000;

/** An event that waits for a worker. */
export interface Waiting {
  /** On whose behalf: the organization of the caller, where the gateway knows it. */
  readonly caller?: string | undefined;
}

/**
 * The events that wait for one function. Callers take turns, however many events each has, and those of one caller keep their order: a
 * caller with many waits for itself, as it would with environments of its own.
 */
export class JobQueue<Job extends Waiting> {
  /** Each caller's, the one whose turn is next first. A caller without any is not in it. */
  readonly #byCaller = new Map<string | undefined, Job[]>();
  /** When each caller had an event lately, the longest ago first. */
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

  /** Puts events back that were taken and not begun: they are the first again. */
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

  /** Takes the next events, of one caller after the other; none of a caller that `mayTake` refuses. */
  take(most: number, mayTake: (caller: string | undefined) => boolean = () => true): Job[] {
    const taken: Job[] = [];
    // A caller with more events comes to the end, and so once more in this loop.
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

  /** Whether other callers had events for this function lately, too. */
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
