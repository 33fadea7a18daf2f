import { setTimeout as pause } from 'node:timers/promises';
import { type ClientLimits, clientLimits } from '../../shared/ports/aws/client-limits.ts';

/**
 * Milliseconds that a test waits for what must come. A safety net and no promise: a machine may be slow, or busy with something
 * else, and nothing waits longer than it has to.
 */
export const timeout = 180_000;

/**
 * The limits of a client that waits for what runs on this machine as long as it takes: a function on AWS would be ended, a test
 * on a slow machine is only slow. What is about the limits themselves takes `clientLimits`.
 */
export const unhurried: ClientLimits = { maxAttempts: clientLimits.maxAttempts };

/** Looks again and again until there is something, and answers it. Rejects when there is nothing for too long. */
export async function eventually<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const end = Date.now() + timeout;
  for (let wait = 5; ; wait = Math.min(100, 2 * wait)) {
    const found = await look();
    if (found !== undefined && found !== false) {
      return found;
    }
    if (Date.now() > end) {
      throw new Error(`Nothing after ${timeout / 1_000} seconds.`);
    }
    await pause(wait);
  }
}
