import { minute } from './time.ts';

/** By the number of tries that have failed. The last one repeats; a queue delays no message for longer. Source: SQS, "Delay queues". */
const delays = [0, minute, 5 * minute, 15 * minute] as const;

/** Milliseconds that a queue waits before the next try: none before the first. */
export function delayAfter(failedTries: number): number {
  return delays[Math.min(failedTries, delays.length - 1)] ?? minute;
}
