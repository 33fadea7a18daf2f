import type { BoardCounters } from '../../../shared/contact-aggregate/counters.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import type { BoardPlan, ColumnPlan } from './board-plan.ts';
import type { CustomFieldTest } from './custom-filters.ts';
import { type ColumnPage, PageCache } from './page-cache.ts';
import { selectionOf } from './selection.ts';

/** All that the pages of a board depend on, beside the cards themselves. */
interface CachedBoard {
  readonly plan: BoardPlan;
  readonly customFields: readonly CustomFieldTest[];
  /** Of the pipelines' record: the names of stages are part of a page. */
  readonly pipelinesVersion: number;
}

/** Those of this process, of all boards: plain, filtered and searched ones. */
export const pageCache = new PageCache();

/**
 * The cached pages of one board. Each was found at a version of its column, which every change of a card in that column
 * raises, and is the right one while the counters show the same version.
 */
export class CachedColumns {
  readonly #columns: readonly ColumnPlan[];
  readonly #prefix: string;
  readonly #suffix: string | undefined;
  readonly #at: number;

  constructor(
    { organizationId }: Pick<TableReader, 'organizationId'>,
    { plan, customFields, pipelinesVersion }: CachedBoard,
    now: Date,
  ) {
    const selection = selectionOf(plan, customFields);
    this.#columns = plan.columns;
    this.#prefix = `${organizationId} ${pipelinesVersion}`;
    this.#suffix = selection && `${plan.size} ${selection}`;
    this.#at = now.getTime();
  }

  /** Whether a page of every column is cached, of whichever version. */
  get areKnown(): boolean {
    return this.#columns.every((column) => pageCache.has(this.#keyOf(column)));
  }

  /** The pages that these counters prove, by stage. */
  proven(counters: BoardCounters): Map<string, ColumnPage> {
    const pages = new Map<string, ColumnPage>();
    for (const column of this.#columns) {
      const { _id } = column.stage;
      const page = pageCache.get(this.#keyOf(column), counters.of(_id).version, this.#at);
      if (page !== undefined) {
        pages.set(_id, page);
      }
    }
    return pages;
  }

  /** Caches a page that is right by these counters. Returns it as the cache has it, because texts of boards are found by these objects. */
  put(column: ColumnPlan, counters: BoardCounters, page: ColumnPage): ColumnPage {
    return this.#suffix === undefined
      ? page
      : pageCache.put(this.#keyOf(column), counters.of(column.stage._id).version, page, this.#at);
  }

  #keyOf({ stage, page }: ColumnPlan): string {
    return `${this.#prefix} ${stage._id} ${page} ${this.#suffix}`;
  }
}
