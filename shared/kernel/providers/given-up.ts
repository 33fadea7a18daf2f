import { day } from '../time.ts';

/** Milliseconds for which dead letters and failed batches are kept. */
export const givenUpKeptFor = 14 * day;

/** Dead letters and failed batches: what failed too often and waits for somebody to redrive it. */
export interface GivenUp {
  /** Deferred requests in their dead-letter queue. One that is returned here is hidden from other readers for some seconds. */
  requests(): AsyncIterable<GivenUpRequest>;
  /** Batches of the table's stream that a reader gave up, beginning with any of them: a run need not see all. */
  batches(): AsyncIterable<GivenUpBatch>;
}

export interface GivenUpRequest {
  /** See `packedRequest`. */
  readonly body: string;
  /** Puts it back into its queue, where it may then be twice. */
  tryAgain(): Promise<void>;
  /** Deletes it. */
  drop(): Promise<void>;
}

export interface GivenUpBatch {
  /** JSON, as Lambda has written it. */
  readonly text: string;
  /** With another text, if it still has this one; undefined deletes it. */
  replace(text: string | undefined): Promise<void>;
}
