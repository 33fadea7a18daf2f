/** In milliseconds; a client without times of its own waits for as long as it takes. */
export interface ClientLimits {
  readonly maxAttempts: number;
  readonly requestHandler?: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly throwOnRequestTimeout: true;
  };
}

/**
 * How long a function's client of an AWS service tries. At most 3 × 2 s and two short pauses, as long as an answer that has begun keeps coming: a function has 10 s, and
 * one that Lambda ends has answered nothing, whereas a call that gives up before is a 503 with Retry-After. A healthy
 * answer starts within milliseconds.
 */
export const clientLimits = {
  maxAttempts: 3,
  // Without the switch the limit only warns.
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
} as const satisfies ClientLimits;
