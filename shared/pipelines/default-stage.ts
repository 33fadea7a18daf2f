import { digestOf } from '../table/digest.ts';
import type { Change } from '../table/table.ts';

/**
 * The first stage of the active Contact pipeline is marked on its counters, with its name (`gates.ts`). A new contact's
 * transaction requires the mark on the counter it raises anyway: so a warm process may use the stages it remembers, without
 * reading, and cannot be wrong.
 */
export function isDefaultStageNamed(name: string): Pick<Change, 'when' | 'values'> {
  return { when: 'gate = :gate AND named = :named', values: { gate: 'default', named: nameProof(name) } };
}

/** What stands for a stage's name on its counters: enough to tell its names apart, and few bytes to read with every board. */
export const nameProof = (name: string) => digestOf(name).slice(0, 6);
