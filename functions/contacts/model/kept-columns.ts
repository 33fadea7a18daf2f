import type { BoardCounters } from '../../../shared/board/counters.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import type { BoardPlan, ColumnPlan } from './board-plan.ts';
import type { CustomFieldTest } from './custom-filters.ts';
import { type ColumnPage, KeptPages } from './kept-pages.ts';
import { selectionOf } from './selection.ts';

/** All that the pages of a board depend on, beside the cards themselves. */
interface KeptBoard {
  readonly plan: BoardPlan;
  readonly customFields: readonly CustomFieldTest[];
  /** Of the pipelines' record: the names of stages are part of a page. */
  readonly pipelinesVersion: number;
}

/** Those of this process, of all boards: plain, filtered and searched ones. */
export const keptPages = new KeptPages();

/**
 * The pages of one board that this process keeps. Each was found at a version of its column, which every change of a card in that column
 * raises, and is the right one while the counters show the same version.
 */
export class KeptColumns {
  readonly #columns: readonly ColumnPlan[];
  readonly #prefix: string;
  readonly #suffix: string | undefined;
  readonly #at: number;

  constructor(
    { organizationId }: Pick<TableReader, 'organizationId'>,
    { plan, customFields, pipelinesVersion }: KeptBoard,
    now: Date,
  ) {
    const selection = selectionOf(plan, customFields);
    this.#columns = plan.columns;
    this.#prefix = `${organizationId} ${pipelinesVersion}`;
    this.#suffix = selection && `${plan.size} ${selection}`;
    this.#at = now.getTime();
  }

  /** Whether a page of every column is kept, of whichever version. */
  get areKnown(): boolean {
    return this.#columns.every((column) => keptPages.has(this.#keyOf(column)));
  }

  /** The pages that these counters prove, by stage. */
  proven(counters: BoardCounters): Map<string, ColumnPage> {
    const pages = new Map<string, ColumnPage>();
    for (const column of this.#columns) {
      const { _id } = column.stage;
      const page = keptPages.get(this.#keyOf(column), counters.of(_id).version, this.#at);
      if (page !== undefined) {
        pages.set(_id, page);
      }
    }
    return pages;
  }

  /** Keeps a page that is right by these counters. */
  keep(column: ColumnPlan, counters: BoardCounters, page: ColumnPage): void {
    if (this.#suffix !== undefined) {
      keptPages.keep(this.#keyOf(column), counters.of(column.stage._id).version, page, this.#at);
    }
  }

  #keyOf({ stage, page }: ColumnPlan): string {
    return `${this.#prefix} ${stage._id} ${page} ${this.#suffix}`;
  }
}
