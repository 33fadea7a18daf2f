import type { DueKind } from '../../../shared/events/due-entry.ts';

/** Failures after which a run gives up a kind, if nothing of that kind has succeeded. */
const failuresToBreak = 25;

/** Leaves to later runs what fails whatever one tries, so that it takes no time from the rest. */
export interface Breaker {
  isBroken(kind: DueKind): boolean;
  succeeded(kind: DueKind): void;
  failed(kind: DueKind): void;
}

/** No kind is broken at first, and one that has succeeded once never is. */
export function breaker(): Breaker {
  const works = new Set<DueKind>();
  const failures = new Map<DueKind, number>();
  return {
    isBroken: (kind) => !works.has(kind) && (failures.get(kind) ?? 0) >= failuresToBreak,
    succeeded: (kind) => void works.add(kind),
    failed: (kind) => void failures.set(kind, (failures.get(kind) ?? 0) + 1),
  };
}
