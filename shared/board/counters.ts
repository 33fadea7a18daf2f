import type { Key } from '../table/key.ts';
import type { Change, Step, TableWriter } from '../table/table.ts';
import { boardCounterKey } from './card.ts';
import { type Entry, placeOf, shardOf } from './entries.ts';
import { stageIsOpen } from './stage-guard.ts';

type StageGuard = Pick<Change, 'when' | 'values'>;

interface Count {
  readonly key: Key<never>;
  by: number;
  condition: StageGuard | undefined;
}

/** Changes of counters, one for each: several applications of a contact may count in the same one. */
export class BoardCounters {
  readonly #counts = new Map<string, Count>();

  /** Whatever enters a stage requires that its guard lets it in, even where something else leaves at the same time. */
  add({ of, counted, enters }: Entry, by: -1 | 0 | 1, guard: StageGuard | undefined): void {
    if (counted === undefined) {
      return;
    }
    const key = boardCounterKey(counted.stageId, counted.view, shardOf(of));
    const place = placeOf(key);
    const count = this.#counts.get(place) ?? { key, by: 0, condition: undefined };
    count.by += by;
    if (by > 0 && enters !== undefined) {
      count.condition = enters === 'contact' && guard !== undefined ? guard : stageIsOpen;
    }
    this.#counts.set(place, count);
  }

  /** The version of a column rises with every change of it, so that a cache can tell that it is stale. */
  steps(table: TableWriter): Step[] {
    return [...this.#counts.values()].map(({ key, by, condition }) =>
      table.updateStep(key, {
        update: by === 0 ? 'ADD v :one' : 'ADD n :by, v :one',
        ...condition,
        values: { ...condition?.values, one: 1, ...(by === 0 ? {} : { by }) },
      }),
    );
  }
}
