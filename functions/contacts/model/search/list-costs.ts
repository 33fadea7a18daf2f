import { BoardCounters, boardCounterRange } from '../../../../shared/contact-aggregate/counters.ts';
import { remember } from '../../../../shared/kernel/remember.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { readCounters } from '../board-counters.ts';
import type { BoardPlan, ColumnPlan } from '../board-plan.ts';
import { readManifest } from './loading/load-stored.ts';
import { contactsIn, type IndexedPipeline } from './loading/loaded-index.ts';
import { fewestStored } from './stored-index.ts';

/** Read units: for a contact in a list, and for one in segments. */
const unitsOf = { listed: 0.11, packed: 0.004 };

/** Contacts of the largest pipeline whose index is loaded for boards of whole lists: it takes a fifth of a second. */
const maxFollowed = 150_000;

/** Read units that a warm process has spent since it last had a pipeline's index: on columns that changed, and on lists. */
const spentOnColumns = new Map<string, number>();
const spentOnLists = new Map<string, number>();

/** The most pipelines for which it counts them. */
const capacity = 500;

/**
 * Whether to load the index for columns of whole lists that changed: as soon as the process has spent more units on reading them, these
 * included, than the index costs.
 */
export function isIndexWorthIt(
  key: string,
  { contacts, units }: { readonly contacts: number; readonly units: number },
): boolean {
  const unitsOfContact = contacts >= fewestStored ? unitsOf.packed : unitsOf.listed;
  const spent = (spentOnColumns.get(key) ?? 0) + units;
  const isWorthIt = contacts <= maxFollowed && spent > contacts * unitsOfContact;
  remember(spentOnColumns, key, isWorthIt ? 0 : spent, capacity);
  return isWorthIt;
}

/** Lists that are to be read instead of the index. */
export interface CheaperLists {
  /** Those of the pipeline, as they were before the lists are read. */
  readonly counters: BoardCounters;
  /** Counts one more reading of the lists. False if the index is the better way by now. */
  mayReadAgain(): boolean;
}

/**
 * Whether the lists of the caller are to be read instead of the index: as long as all such readings together cost less than the index,
 * which pays from then on. Undefined if the index is the better way.
 */
export async function cheaperLists(
  table: TableReader,
  { views, columns }: BoardPlan,
  pipeline: IndexedPipeline,
  key: string,
): Promise<CheaperLists | undefined> {
  if (views.some(([kind]) => kind === 'all')) {
    return undefined;
  }
  const [manifest, counters, ...own] = await Promise.all([
    readManifest(table, pipeline._id),
    readCounters(table, pipeline._id),
    ...views.map((view) => table.list(boardCounterRange(pipeline._id, view), { consistent: false })),
  ]);
  const listed = own
    .map((items) => new BoardCounters(items))
    .flatMap((one) => columns.map(({ stage }: ColumnPlan) => one.of(stage._id).total))
    .reduce((sum, total) => sum + total, 0);
  const unitsOfContact = manifest?.data.contents === undefined ? unitsOf.listed : unitsOf.packed;
  const index = contactsIn(counters, pipeline) * unitsOfContact;
  const mayReadAgain = () => spendOnLists(key, listed * unitsOf.listed, index);
  return mayReadAgain() ? { counters, mayReadAgain } : undefined;
}

/** Counts a reading of lists. False if it makes them cost more than the index: then they count anew. */
function spendOnLists(key: string, units: number, index: number): boolean {
  const spent = (spentOnLists.get(key) ?? 0) + units;
  const areCheaper = spent <= index;
  remember(spentOnLists, key, areCheaper ? spent : 0, capacity);
  return areCheaper;
}
