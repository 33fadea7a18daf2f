import { setTimeout as pause } from 'node:timers/promises';
import type { Receiver } from './receivers.ts';

/** Longer than the second retry of a failed attempt takes: 5 minutes and a tenth more, and a minute of the clock. */
const longestSilence = 420_000;

/** Resolves once all of these have got each event, or nothing more has come for too long. */
export async function waitForAll(ids: readonly string[], receivers: readonly Receiver[]): Promise<void> {
  const missing = () =>
    receivers.reduce((sum, { times }) => sum + ids.filter((id) => !times.has(id)).length, 0);
  let [left, since, told] = [missing(), performance.now(), performance.now()];
  while (left > 0 && performance.now() - since < longestSilence) {
    await pause(500);
    const now = missing();
    if (now < left) {
      [left, since] = [now, performance.now()];
    }
    if (performance.now() - told > 10_000) {
      told = performance.now();
      console.log(`  ${now} are still to come`);
    }
  }
}
