import { digestOf } from '../table/digest.ts';
import type { Change } from '../table/table.ts';

/**
 * Requires the stage to be the default one with this name. The default stage is the first one of the active Contact pipeline; its
 * counters store that and its name (`stage-guard.ts`). The transaction that creates a contact raises a counter anyway and
 * requires both there: so a warm process may use the stages it remembers, without reading, and is still right.
 */
export function isDefaultStageNamed(name: string): Pick<Change, 'when' | 'values'> {
  return { when: 'guard = :guard AND named = :named', values: { guard: 'default', named: nameDigest(name) } };
}

/** A digest for a stage's name on its counters: enough to tell names apart, and few bytes to read with every board. */
export const nameDigest = (name: string) => digestOf(name).slice(0, 6);
