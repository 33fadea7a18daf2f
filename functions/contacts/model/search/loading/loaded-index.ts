import type { BoardCounters } from '../../../../../shared/contact-aggregate/counters.ts';
import type { Pipeline } from '../../../../../shared/contacts/pipeline.ts';
import type { ChangeNumbers, KnownChanges } from '../changes/known-changes.ts';
import type { SearchIndex } from '../index/search-index.ts';
import type { Segment } from '../segments/segment.ts';
import type { Contents, StoredSegment } from '../stored-index.ts';

export type IndexedPipeline = Pick<Pipeline, '_id' | 'stages'>;

/** An index as it was loaded: with the changes of these numbers, and maybe with later ones. */
export interface LoadedIndex {
  readonly index: SearchIndex;
  readonly changes: ChangeNumbers;
  readonly known: KnownChanges;
  /** Where the index was loaded from; undefined if from lists. */
  readonly stored: StoredContents | undefined;
  /** In milliseconds since 1970: then it must be loaded again, because it may lack changes of when it was loaded. */
  readonly validUntil?: number;
}

export interface StoredContents {
  readonly contents: Contents;
  readonly segments: readonly LoadedSegment[];
}

export interface LoadedSegment {
  readonly segment: Segment;
  readonly stored: StoredSegment;
}

/** All contacts of the pipeline. */
export function contactsIn(counters: BoardCounters, { stages }: IndexedPipeline): number {
  return stages.reduce((sum, { _id }) => sum + counters.of(_id).total, 0);
}
