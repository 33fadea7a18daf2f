/** The product's promises of its price, in the order of the reports. */
export const budgets = {
  /** A board of 8 stages, warm: for somebody who sees all contacts, or those of one user. */
  board: { readUnits: 3, roundTrips: 2 },
  /** Write units beside those of effects, and dollars for a million steps without any. */
  workflows: { step: 8, wait: 10, other: 17, dollars: 8 },
  search: { milliseconds: 250, unitsFor100000: 450 },
  /** With the demo data, on a machine with two cores that has nothing else to do. */
  host: {
    /** Requests a second over 16 connections. */
    health: 3_000,
    /** The least ratio of the rate of all kinds of operations to that of a few. */
    kindsRatio: 0.5,
    /** Megabytes, host and database together. */
    memory: { started: 400, loaded: 600 },
    /** Milliseconds of CPU in a second. */
    idleMilliseconds: 5,
  },
  /** Milliseconds an answer may take, and milliseconds of processor time a second while nobody asks for anything. */
  soak: { answer: 500, idle: 5 },
  /** How much longer live events may take while runs of another organization start in a burst. */
  burst: { delayRatio: 2 },
  /** Until the event of one organization, whatever the connections of others. */
  crowd: { milliseconds: 2_000 },
  /** Milliseconds from an event until a good endpoint has it, beside bad ones (p95), and megabytes of host and database meanwhile. */
  webhooks: { milliseconds: 2_000, memory: 900 },
  /** `bytes`: of minified code that a start of a function evaluates. */
  bundle: { bytes: 420_000, importRatio: 1.3 },
} as const;

/** A promise and what was measured. */
export interface Verdict {
  readonly promise: string;
  readonly measured: string;
  readonly kept: boolean;
}

/** One line a verdict; the exit code is 1 when a promise is broken. */
export function conclude(verdicts: readonly Verdict[]): void {
  console.log('\nBudgets');
  for (const { promise, measured, kept } of verdicts) {
    console.log(`  ${kept ? 'kept  ' : 'BROKEN'}  ${promise}: ${measured}`);
  }
  if (verdicts.some(({ kept }) => !kept)) {
    process.exitCode = 1;
  }
}
