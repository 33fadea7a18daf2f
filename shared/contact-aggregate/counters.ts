import { second } from '../kernel/time.ts';
import type { View } from '../organizations/views.ts';
import type { Key, Range } from '../table/key.ts';
import type { Stored, TableReader } from '../table/table.ts';

/**
 * The counters of a pipeline's board: for each view eight items, which count all stages, so that one query proves every column.
 * Only those of the view of all contacts have versions and changes: a card that changes in a list of some user changes there too.
 */

/** Counters are split, because transactions that change the same item cancel each other. */
export const counterShards = 8;

/** The shard that counts a record. It is always the same one, so that no shard falls below zero. */
export function shardFor(id: string): number {
  let hash = 0;
  for (const char of id) {
    hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  }
  return hash % counterShards;
}

/** What a counter counts: the cards of a view, or what is archived, which no board shows, but which keeps its stage from being removed. */
export type CountedView = View | readonly ['archived'];

export const boardCounterKey = (pipelineId: string, view: CountedView, shard: number): Key<never> => ({
  partition: ['COUNTS', pipelineId],
  sort: [...view, String(shard)],
});

export const boardCounterRange = (pipelineId: string, view: View): Range<never> => ({
  partition: ['COUNTS', pipelineId],
  under: [...view],
});

/** Enough of an id's random end to tell the stages of a pipeline apart: every board reads these names, every write pays for them. */
const markLength = 8;

/** The names of a counter's attributes for a stage. */
export function attributesFor(stageId: string): {
  count: string;
  version: string;
  guard: string;
} {
  const mark = stageId.slice(-markLength);
  return { count: `n${mark}`, version: `v${mark}`, guard: `g${mark}` };
}

/** A change of a contact as the counters remember it. */
export interface ContactChange {
  readonly contactId: string;
  /** The version of the contact's record after the change; 0 for a deleted contact. */
  readonly version: number;
}

/** The attributes with a shard's last changes, the newest first. */
const recentNames = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7'] as const;

/** How many changes a shard remembers. */
export const rememberedChanges = recentNames.length;

/** The update that adds changes to a shard's last ones, and its values. An update reads all values before it sets any. */
export function rememberingChanges(added: readonly ContactChange[]): {
  readonly set: string;
  readonly add: string;
  readonly values: Readonly<Record<string, string | number>>;
} {
  const shifts = recentNames.map((name, index) =>
    index < added.length
      ? `${name} = :change${index}`
      : `${name} = if_not_exists(${recentNames[index - added.length]}, :nothing)`,
  );
  const texts = added.map(({ contactId, version }, index) => [`change${index}`, `${contactId} ${version}`]);
  return {
    set: shifts.join(', '),
    add: 'changes :added',
    values: { ...Object.fromEntries(texts), nothing: '', added: added.length },
  };
}

/** The changes that a shard of the counters tells of. */
export interface ShardChanges {
  readonly shard: number;
  /** How many changes there have been. */
  readonly count: number;
  /** The last of them, the newest first: up to eight. */
  readonly latest: readonly ContactChange[];
}

/**
 * Another reader sees the writes of a transaction one after the other, within milliseconds: a counter may show a new version before the
 * card is there. So what was read this soon after its version was first seen is read once more after that time.
 */
export const settling = second;

/** A column of a board: how many cards it has, and the version that every change of a card raises. */
export interface ColumnCount {
  readonly total: number;
  readonly version: number;
}

/** The counters of a pipeline and a view, as they were read. */
export class BoardCounters {
  readonly #items: readonly Stored<never>[];
  /** By stage, as far as somebody has asked: a board asks for each several times. */
  readonly #columns = new Map<string, ColumnCount>();

  constructor(items: readonly Stored<never>[]) {
    this.#items = items;
  }

  of(stageId: string): ColumnCount {
    const column = this.#columns.get(stageId) ?? this.#sumOf(stageId);
    this.#columns.set(stageId, column);
    return column;
  }

  /** In no order; none for a shard that never had a change. */
  changes(): ShardChanges[] {
    return this.#items.map(({ key, attributes = {} }) => ({
      shard: Number(key.sort.at(-1)),
      count: Number(attributes.changes ?? 0),
      latest: latestChanges(attributes),
    }));
  }

  #sumOf(stageId: string): ColumnCount {
    const { count, version } = attributesFor(stageId);
    const sum = (name: string) =>
      this.#items.reduce((total, { attributes }) => total + Number(attributes?.[name] ?? 0), 0);
    return { total: sum(count), version: sum(version) };
  }
}

/** The counters of a pipeline, strongly consistent. Those of the view of all prove the cards of every view. */
export async function readCounters(
  table: TableReader,
  pipelineId: string,
  view: View = ['all'],
): Promise<BoardCounters> {
  return new BoardCounters(await table.list(boardCounterRange(pipelineId, view)));
}

/** The last changes that a counter remembers, the newest first. */
export function latestChanges(attributes: Readonly<Record<string, unknown>>): ContactChange[] {
  return recentNames.flatMap((name) => changeIn(attributes[name]));
}

/** Whether an attribute counts the contacts of a stage. */
export function isCount(attribute: string): boolean {
  return attribute.length === markLength + 1 && attribute.startsWith('n');
}

/** The change in an attribute; none for an attribute that is missing or empty. */
function changeIn(text: unknown): ContactChange[] {
  const [contactId = '', version] = typeof text === 'string' ? text.split(' ') : [];
  return contactId === '' ? [] : [{ contactId, version: Number(version) }];
}
