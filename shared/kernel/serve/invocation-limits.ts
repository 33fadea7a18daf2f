import { second } from '../time.ts';

/** Milliseconds after which the gateway gives up. Source: API Gateway quotas. */
export const gatewayLimit = 30 * second;

/** Milliseconds after which the platform ends an invocation, by the kind of its operation. */
export const invocationLimits = {
  http: 10 * second,
  /** Almost as long as the gateway waits: a `resume` may post hundreds of frames. */
  socket: 29 * second,
  authorizer: 5 * second,
  stream: 30 * second,
  queue: 30 * second,
  orderedQueue: 15 * second,
  /** As short as for HTTP: the next run continues what this one leaves. */
  schedule: 10 * second,
  deployment: 30 * second,
  /** For the function that applies deferred requests: the same as when they were received. */
  deferred: 10 * second,
} as const;
