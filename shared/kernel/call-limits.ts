import { second } from '../time.ts';

/** Milliseconds that a call may take, by the kind of its operation; then the platform ends it. */
export const callLimits = {
  /** The gateway itself gives up after 30 s. */
  http: 10 * second,
  /** As long as the gateway waits: a `resume` may post hundreds of frames. */
  socket: 29 * second,
  authorizer: 5 * second,
  stream: 30 * second,
  deployment: 30 * second,
} as const;
