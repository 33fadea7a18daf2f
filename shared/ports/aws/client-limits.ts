/** In milliseconds; a client without timeouts waits forever. */
export interface ClientLimits {
  readonly maxAttempts: number;
  readonly requestHandler?: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly throwOnRequestTimeout: true;
    /** For each pause in a response. */
    readonly socketTimeout?: number;
  };
}

/**
 * How long a function's client of an AWS service tries: at most 3 × 2 s and two short pauses, as long as a response that has
 * begun continues. A function has 10 s. A request that the client gives up earlier becomes a 503 with Retry-After, whereas a function that
 * Lambda ends sends no response. A healthy response starts within milliseconds.
 */
export const clientLimits = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 1_000,
    requestTimeout: 2_000,
    // Without the switch the timeout only warns.
    throwOnRequestTimeout: true,
    socketTimeout: 2_000,
  },
} as const satisfies ClientLimits;
