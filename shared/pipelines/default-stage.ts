import { digestOf } from '../table/digest.ts';
import type { Change } from '../table/table.ts';

/**
 * The first stage of the active Contact pipeline is marked on its counters, with its name (`stage-guard.ts`). A new contact's
 * transaction requires the mark on the counter it raises anyway: so a warm process may use the stages it remembers, without
 * reading, and cannot be wrong.
 */
export function isDefaultStageNamed(name: string): Pick<Change, 'when' | 'values'> {
  return { when: 'guard = :guard AND named = :named', values: { guard: 'default', named: nameDigest(name) } };
}

/** What stands for a stage's name on its counters: enough to tell its names apart, and few bytes to read with every board. */
export const nameDigest = (name: string) => digestOf(name).slice(0, 6);
