import type { Origin } from '../kernel/actor.ts';
import type { Failure } from '../kernel/failure.ts';
import type { LimitUse } from '../kernel/limit-policy.ts';
import type { Cause } from './cause.ts';
import type { Key, Range, Space } from './key.ts';

/** A stored record. `version` increases by one with every write of the whole record. */
export interface Stored<Data, S extends Space = 'organization'> {
  readonly key: Key<Data, S>;
  readonly data: Data;
  readonly version: number;
  /** Native attributes, which `updateAction` and `update` write beside the data. */
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** The version of a record that nobody has changed since it was added. */
export const firstVersion = 1;

export interface QueryOptions {
  /** At most this many records; the whole range if absent. */
  limit?: number;
  /** Last sort key first. */
  descending?: boolean;
  /**
   * Strongly consistent: sees every write acknowledged before, at twice the cost. Default true for `read`, `list` and `readMany`,
   * which writes depend on, and false for the others.
   */
  consistent?: boolean;
}

export interface PageOptions<Data, S extends Space = 'organization'> extends QueryOptions {
  limit: number;
  /** An earlier page's `nextCursor`. */
  cursor?: string | undefined;
  /** Whether the caller may be shown a record; true unless stated. A cursor names only such records. */
  isShown?: ((record: Stored<Data, S>) => boolean) | undefined;
}

export interface Page<Data, S extends Space = 'organization'> {
  readonly records: readonly Stored<Data, S>[];
  /** The start of the next page; null at the end. */
  readonly nextCursor: string | null;
}

/** One action of a transaction, in DynamoDB's sense: a write or a condition, bound to its partition, for `commit`. */
export interface Action {
  readonly request: Readonly<Record<string, unknown>>;
  /** Turns a failed condition into an error for the caller; a `VersionConflict` if absent. */
  readonly otherwise?: (existing: unknown) => Failure | Error;
  /** What is left of a limit once the action is committed, for the response to announce. */
  readonly draws?: LimitUse | undefined;
}

/** Actions of a transaction at most: one less than DynamoDB takes, for the condition on the API key of the caller. */
export const transactionLimit = 99;

export interface AddOptions<Data> {
  /** The version that it begins with: the first one unless a record with this key was there before. */
  version?: number;
  /** The error if the key is taken, given the record at it. */
  otherwise?: (existing: Data) => Failure | Error;
  /** When the database may delete the record. */
  expiresAt?: Date;
}

/** A condition on a record: a version that it still has, or a DynamoDB condition on its native attributes. */
export type Condition = { readonly ifVersion: number } | (Pick<Change, 'values'> & { readonly when: string });

export type DeleteOptions = Condition & {
  /** The error if the record has changed or is gone. */
  otherwise?: () => Failure | Error;
};

export interface CommitOptions {
  /**
   * Whether it only goes ahead of a later commit, which does what the request asks for: a request that begins again finds this done, or
   * does it once more without harm.
   */
  readonly isAhead?: boolean;
}

export interface PutOptions {
  /** When the database may delete the record. */
  expiresAt?: Date;
  /** Stored unchanged beside the data; read back as the attribute `bytes`. */
  bytes?: Uint8Array;
}

/** A record for `putMany`. */
export interface PutRecord<S extends Space = 'organization'> extends PutOptions {
  readonly key: Key<unknown, S>;
  readonly data: unknown;
}

/** A change of native attributes as a DynamoDB expression; names must not be reserved words. */
export interface Change {
  readonly update: string;
  readonly when?: string;
  readonly values?: Readonly<Record<string, string | number | boolean | Uint8Array>>;
  readonly otherwise?: (existing: Readonly<Record<string, unknown>> | undefined) => Failure | Error;
  /** What is left of a limit after the change, for the response to announce; a single `update` knows the new attributes. */
  readonly draws?: ((written?: Readonly<Record<string, unknown>>) => LimitUse | undefined) | undefined;
}

/** Reads one key space. No read can leave it. */
export interface TableReader<S extends Space = 'organization'> {
  /** The organization of the records; empty outside the organizations' key spaces. */
  readonly organizationId: string;
  /** The run of a workflow whose step reads and writes here; absent for whatever is not a step. */
  readonly causedBy?: Cause;
  /** One record, strongly consistent unless stated; undefined if there is none. */
  read<Data>(
    key: Key<Data, S>,
    options?: Pick<QueryOptions, 'consistent'>,
  ): Promise<Stored<Data, S> | undefined>;
  /** Up to 100 records by key, in the order of the keys, in one round trip; strongly consistent unless stated. */
  readMany<Data>(
    keys: readonly Key<Data, S>[],
    options?: Pick<QueryOptions, 'consistent'>,
  ): Promise<(Stored<Data, S> | undefined)[]>;
  /** The records of a range (or the first `limit`), in order of the sort key. */
  list<Data>(range: Range<Data, S>, options?: QueryOptions): Promise<Stored<Data, S>[]>;
  /** One page of a range. An unknown cursor is a 400. */
  page<Data>(range: Range<Data, S>, options: PageOptions<Data, S>): Promise<Page<Data, S>>;
  /**
   * Raw rows of a range in batches of up to 1 MB, for reads of so many rows that building a record for each would cost too much.
   */
  rows<Data>(range: Range<Data, S>, options?: QueryOptions): AsyncIterable<readonly RawRow[]>;
  /**
   * Runs `attempt` again, with backoff, as long as it throws `VersionConflict`: it reads, decides and writes until no other write
   * comes in between. @throws a 503 `Failure` when the record keeps changing.
   */
  optimistically<Result>(attempt: () => Promise<Result>): Promise<Result>;
}

/** A row of the table: the sort key and the packed data. */
export interface RawRow {
  readonly sk: string;
  readonly data?: string | Uint8Array;
}

export interface TableWriter<S extends Space = 'organization'> extends TableReader<S> {
  /** The origin of what is written here: each event names it. */
  readonly origin: Origin;
  /** When the invocation began that writes here. */
  readonly now: Date;
  /** Creates a record; its key must be free. */
  add<Data>(key: Key<Data, S>, data: NoInfer<Data>, options?: AddOptions<Data>): Action;
  /** Replaces the record that was read, if nobody has written it since. */
  replace<Data>(stored: Stored<Data, S>, data: NoInfer<Data>, options?: { expiresAt?: Date }): Action;
  /**
   * Writes a record without a version, whatever is at the key: for entries that only accompany a record written under a
   * condition. It can be put again and deleted, but not replaced.
   */
  put<Data>(key: Key<Data, S>, data: NoInfer<Data>, options?: PutOptions): Action;
  delete(key: Key<unknown, S>, options?: DeleteOptions): Action;
  /** Changes native attributes in place. */
  updateAction(key: Key<unknown, S>, change: Change): Action;
  /** Requires that a condition holds when the transaction commits. */
  require(key: Key<unknown, S>, condition: Condition & Pick<Change, 'otherwise' | 'draws'>): Action;
  /**
   * Executes all actions or none, in one round trip. Conflicts and throttling are retried with backoff, safely: a transaction
   * carries an idempotency token, so that it happens only once even if its response is lost.
   * @throws what the `otherwise` of the failed action returns; `VersionConflict` for an action without one; a 503 `Failure` when the
   * table stays unavailable.
   */
  commit(actions: readonly Action[], options?: CommitOptions): Promise<void>;
  /**
   * Deletes records one by one, for half of what transactions cost. Keys without a record do no harm. @throws a 503
   * `Failure` when the table stays unavailable; then some are deleted.
   */
  deleteMany(keys: readonly Key<unknown, S>[]): Promise<void>;
  /**
   * Puts records one by one, each with a key of its own, for half of what transactions cost. Repeating it does no harm. @throws a 503
   * `Failure` when the table stays unavailable; then some are written.
   */
  putMany(records: readonly PutRecord<S>[]): Promise<void>;
  /**
   * Changes native attributes of one item in one conditional write and returns the item's new attributes. A write whose response
   * was lost recognises itself on a retry, unless another `update` of the item came in between: what must not happen twice even then
   * has a condition that shows it, or is a `commit` of one `updateAction`, which costs twice as much.
   */
  update(key: Key<unknown, S>, change: Change): Promise<Readonly<Record<string, unknown>>>;
}

/** Somebody else wrote the record between its read and its write; `optimistically` then tries again. */
export class VersionConflict extends Error {
  constructor() {
    super('The record changed between its read and its write');
    this.name = 'VersionConflict';
  }
}
