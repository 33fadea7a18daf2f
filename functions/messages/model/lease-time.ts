import { invocationLimits } from '../../../shared/kernel/serve/invocation-limits.ts';
import { second } from '../../../shared/kernel/time.ts';

/** How long a run leases a message: longer than a provider takes. */
export const leaseDuration = 15 * second;

/** Milliseconds of a run after which it leases no more messages, so that the platform never ends it while it has one. */
const leasedWithin = invocationLimits.queue - leaseDuration;

/** Milliseconds that a run has left to lease a message, `late` milliseconds after it began. @throws when there are none. */
export function leftToLease(late: number): number {
  if (late > leasedWithin) {
    throw new Error('The time of this run is over');
  }
  return leasedWithin - late;
}
