import type { View } from '../organizations/views.ts';
import { joined } from '../table/key.ts';
import type { Action, Change, TableWriter } from '../table/table.ts';
import { attributesFor, boardCounterKey, rememberingChanges } from './counters.ts';
import { guardCondition } from './stage-guard.ts';

/** Where a board counts an entry. */
export interface Counted {
  readonly pipelineId: string;
  readonly stageId: string;
  readonly view: View;
  readonly shard: number;
  /** Only on the view of all of a pipeline of contacts, whose counters remember the changes. */
  readonly contactId?: string;
  /** No board shows the entry, but its stage cannot be removed. */
  readonly isArchived?: true;
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
    const change = view[0] === 'all' ? changeOfAll(group, versionOf) : changeOfView(group);
    return change === undefined ? [] : [table.updateAction(boardCounterKey(pipelineId, view, shard), change)];
  });
}

/** Raises the version of every column in which a card changes, and remembers the contacts. Undefined if only archived entries change. */
function changeOfAll(
  changes: readonly CountedChange[],
  versionOf: (contactId: string) => number,
): Change | undefined {
  const shown = changes.filter(({ counted }) => !counted.isArchived);
  const added = adding(changes);
  if (shown.length === 0 && added.terms.length === 0) {
    return undefined;
  }
  const guards = changes.filter(({ by }) => by > 0).map(({ counted }) => guardCondition(counted.stageId));
  const contactIds = new Set(shown.flatMap(({ counted: { contactId } }) => contactId ?? []));
  const changed = [...contactIds].map((contactId) => ({ contactId, version: versionOf(contactId) }));
  const recent = changed.length === 0 ? undefined : rememberingChanges(changed);
  const stageIds = new Set(shown.map(({ counted }) => counted.stageId));
  const versions = [...stageIds].map((stageId) => `${attributesFor(stageId).version} :one`);
  return {
    update: [
      ...(recent === undefined ? [] : [`SET ${recent.set}`]),
      `ADD ${[...added.terms, ...versions, ...(recent === undefined ? [] : [recent.add])].join(', ')}`,
    ].join(' '),
    values: Object.assign(
      {},
      stageIds.size > 0 && { one: 1 },
      added.values,
      recent?.values,
      ...guards.map(({ values }) => values),
    ),
    ...(guards.length === 0 ? {} : { when: guards.map(({ when }) => when).join(' AND ') }),
  };
}

/** Undefined if the counts stay: the versions of the view of all prove the cards of the others, too. */
function changeOfView(changes: readonly CountedChange[]): Change | undefined {
  const { terms, values } = adding(changes);
  return terms.length === 0 ? undefined : { update: `ADD ${terms.join(', ')}`, values };
}

/** The terms that change the counts of stages. */
function adding(changes: readonly CountedChange[]): { terms: string[]; values: Record<string, number> } {
  const byAttribute = Map.groupBy(changes, ({ counted: { stageId, isArchived } }) =>
    isArchived ? attributesFor(stageId).archived : attributesFor(stageId).count,
  );
  const changing = [...byAttribute]
    .map(([attribute, group]) => ({ attribute, by: group.reduce((sum, { by }) => sum + by, 0) }))
    .filter(({ by }) => by !== 0);
  return {
    terms: changing.map(({ attribute }, index) => `${attribute} :by${index}`),
    values: Object.fromEntries(changing.map(({ by }, index) => [`by${index}`, by])),
  };
}
