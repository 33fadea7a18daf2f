import { joined } from '../table/key.ts';
import type { Action, Change, TableWriter } from '../table/table.ts';
import { attributesFor, boardCounterKey, type CountedView, rememberingChanges } from './counters.ts';
import { guardCondition } from './stage-guard.ts';

/** Where a board counts an entry. */
export interface Counted {
  readonly pipelineId: string;
  readonly stageId: string;
  readonly view: CountedView;
  readonly shard: number;
  /** Only on the view of all of a pipeline of contacts, whose counters remember the changes. */
  readonly contactId?: string;
}

/** An entry that is added, changed in place or deleted. */
export interface CountedChange {
  readonly counted: Counted;
  readonly by: -1 | 0 | 1;
}

/**
 * One action for each counter, because a contact that moves, and several applications of a contact, may change the same one twice. An entry
 * that is added requires its stage's guard, even if another leaves at the same time. `versionOf` tells the version of a
 * contact's record afterwards; 0 if deleted.
 */
export function counterActions(
  table: TableWriter,
  changes: readonly CountedChange[],
  versionOf: (contactId: string) => number,
): Action[] {
  const byCounter = Map.groupBy(changes, ({ counted: { pipelineId, view, shard } }) =>
    joined([pipelineId, ...view, String(shard)]),
  );
  return [...byCounter.values()].flatMap((group) => {
    const [{ counted }] = group as [CountedChange, ...CountedChange[]];
    const { pipelineId, view, shard } = counted;
    const counts = view[0] === 'all' ? changeOfAll(group, versionOf) : changeOfView(group);
    const change = view[0] === 'archived' && counts ? guarded(group, counts) : counts;
    return change === undefined ? [] : [table.updateAction(boardCounterKey(pipelineId, view, shard), change)];
  });
}

/** Raises the version of every column in which a card changes, and remembers the contacts. */
function changeOfAll(changes: readonly CountedChange[], versionOf: (contactId: string) => number): Change {
  const { terms, values } = adding(changes);
  const contactIds = new Set(changes.flatMap(({ counted: { contactId } }) => contactId ?? []));
  const changed = [...contactIds].map((contactId) => ({ contactId, version: versionOf(contactId) }));
  const recent = changed.length === 0 ? undefined : rememberingChanges(changed);
  const stageIds = new Set(changes.map(({ counted }) => counted.stageId));
  const versions = [...stageIds].map((stageId) => `${attributesFor(stageId).version} :one`);
  return guarded(changes, {
    update: [
      ...(recent === undefined ? [] : [`SET ${recent.set}`]),
      `ADD ${[...terms, ...versions, ...(recent === undefined ? [] : [recent.add])].join(', ')}`,
    ].join(' '),
    values: Object.assign({ one: 1 }, values, recent?.values),
  });
}

/** Undefined if the counts stay: the versions of the view of all prove the cards of the others, too. */
function changeOfView(changes: readonly CountedChange[]): Change | undefined {
  const { terms, values } = adding(changes);
  return terms.length === 0 ? undefined : { update: `ADD ${terms.join(', ')}`, values };
}

/** The change with the condition that the stages which something enters are still there. */
function guarded(changes: readonly CountedChange[], change: Change): Change {
  const guards = changes.filter(({ by }) => by > 0).map(({ counted }) => guardCondition(counted.stageId));
  return guards.length === 0
    ? change
    : {
        ...change,
        values: Object.assign({}, change.values, ...guards.map(({ values }) => values)),
        when: guards.map(({ when }) => when).join(' AND '),
      };
}

/** The terms that change the counts of stages. */
function adding(changes: readonly CountedChange[]): { terms: string[]; values: Record<string, number> } {
  const byStage = Map.groupBy(changes, ({ counted }) => counted.stageId);
  const changing = [...byStage]
    .map(([stageId, group]) => ({ stageId, by: group.reduce((sum, { by }) => sum + by, 0) }))
    .filter(({ by }) => by !== 0);
  return {
    terms: changing.map(({ stageId }, index) => `${attributesFor(stageId).count} :by${index}`),
    values: Object.fromEntries(changing.map(({ by }, index) => [`by${index}`, by])),
  };
}
