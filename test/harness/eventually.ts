import { setTimeout as pause } from 'node:timers/promises';
import { type ClientLimits, clientLimits } from '../../shared/ports/aws/client-limits.ts';

/**
 * How many milliseconds a test waits for something that must happen. It is a safety net: a machine may be slow or busy, and no test waits
 * longer than necessary.
 */
export const timeout = 180_000;

/**
 * The limits of a client that waits for services on this machine as long as necessary: AWS would end a function, but a test on a slow
 * machine only takes longer. Tests of the limits themselves use `clientLimits`.
 */
export const unhurried: ClientLimits = { maxAttempts: clientLimits.maxAttempts };

/** Calls `look` until it finds something, and resolves with that. Rejects when it takes too long. */
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
