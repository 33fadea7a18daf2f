import type { Failure } from '../kernel/failure.ts';
import type { Key, Range, Space } from './key.ts';

/** A record as it is stored. `version` rises by one with every write of the whole record. */
export interface Stored<Data, S extends Space = 'organization'> {
  readonly key: Key<Data, S>;
  readonly data: Data;
  readonly version: number;
  /** What `updateStep` and `update` wrote beside the data, by attribute. */
  readonly attributes?: Readonly<Record<string, unknown>>;
}

export interface QueryOptions {
  /** Records at most; all of the range when absent. */
  limit?: number;
  /** Last sort key first. */
  descending?: boolean;
  /**
   * Strongly consistent: sees every write that was acknowledged before. Costs twice. Default true of `list`, which writes
   * depend on; false of the others.
   */
  consistent?: boolean;
}

export interface Page<Data, S extends Space = 'organization'> {
  readonly records: readonly Stored<Data, S>[];
  /** Where the next page starts; null at the end. */
  readonly nextCursor: string | null;
}

/** One write of a transaction, already bound to its partition. Made by a table, done by `commit`. */
export interface Step {
  readonly request: Readonly<Record<string, unknown>>;
  /** Turns a failed condition into an error for the caller; without it a failed condition is a version conflict. */
  readonly otherwise?: (existing: unknown) => Failure | Error;
}

export interface AddOptions<Data> {
  /** The error when the key is taken already, given what is there. */
  otherwise?: (existing: Data) => Failure | Error;
  /** When the database may delete the record by itself. */
  expiresAt?: Date;
}

export interface DeleteOptions {
  /** The version that the record must still have; absent, whatever is at the key is deleted. */
  ifVersion?: number;
  /** The error when the record has another version, or is gone. */
  otherwise?: () => Failure;
}

export interface PutOptions {
  /** When the database may delete the record by itself. */
  expiresAt?: Date;
  /** Lie beside the data as they are, and come back as its attribute `bytes`. */
  bytes?: Uint8Array;
}

/** A change of native attributes, in DynamoDB's own expression language; names must not be reserved words. */
export interface Change {
  readonly update: string;
  readonly when?: string;
  readonly values?: Readonly<Record<string, string | number | boolean>>;
  readonly otherwise?: (existing: Readonly<Record<string, unknown>> | undefined) => Failure | Error;
}

/** Reads of one key space: an organization's, or the identity space. Every read is bound to it by construction. */
export interface TableReader<S extends Space = 'organization'> {
  /** The organization whose records these are; empty for the identity space. */
  readonly organizationId: string;
  /** One record, strongly consistent; undefined when there is none. */
  read<Data>(key: Key<Data, S>): Promise<Stored<Data, S> | undefined>;
  /** Many records by key, in one round trip; in the order of the keys. At most 100. */
  readMany<Data>(keys: readonly Key<Data, S>[]): Promise<(Stored<Data, S> | undefined)[]>;
  /** All records of a range (or the first `limit`), in order of the sort key. */
  list<Data>(range: Range<Data, S>, options?: QueryOptions): Promise<Stored<Data, S>[]>;
  /** One page of a range; `cursor` is what an earlier page answered. An unknown cursor is a 400. */
  page<Data>(
    range: Range<Data, S>,
    options: QueryOptions & { limit: number; cursor?: string | undefined },
  ): Promise<Page<Data, S>>;
  /** Raw rows of a range in batches of up to 1 MB, without building a record for each: for reads of many rows. */
  rows<Data>(range: Range<Data, S>, options?: QueryOptions): AsyncIterable<readonly RawRow[]>;
  /**
   * Reads, decides and writes again, with backoff, until no other writer comes between: for as long as `attempt` throws
   * `VersionConflict`. @throws a 503 `Failure` when the record never rests.
   */
  optimistically<Result>(attempt: () => Promise<Result>): Promise<Result>;
}

/** A row as it lies in the table: the sort key, the packed data, the native numbers. */
export interface RawRow {
  readonly sk: string;
  readonly data?: string | Uint8Array;
  readonly n?: number;
}

export interface TableWriter<S extends Space = 'organization'> extends TableReader<S> {
  /** A new record; its key must be free. */
  add<Data>(key: Key<Data, S>, data: NoInfer<Data>, options?: AddOptions<Data>): Step;
  /** The record in place of the one read, provided that nobody has written it since. */
  replace<Data>(stored: Stored<Data, S>, data: NoInfer<Data>, options?: { expiresAt?: Date }): Step;
  /**
   * Writes a record whatever is there, without a version: for entries that only exist beside a record written under a
   * condition. It can be put again and deleted, but not replaced.
   */
  put<Data>(key: Key<Data, S>, data: NoInfer<Data>, options?: PutOptions): Step;
  delete(key: Key<unknown, S>, options?: DeleteOptions): Step;
  /** Changes native attributes in place. */
  updateStep(key: Key<unknown, S>, change: Change): Step;
  /** Requires that a condition holds when the transaction commits. */
  require(key: Key<unknown, S>, condition: Omit<Change, 'update'>): Step;
  /**
   * Does all steps or none, in one round trip. Conflicts with other transactions and throttling are retried with
   * backoff, safely: a transaction carries a token, so that a lost reply cannot make it happen twice.
   * @throws what the failed step's `otherwise` says; `VersionConflict` for a step without one; a 503 `Failure` when the
   * table stays unavailable.
   */
  commit(steps: readonly Step[]): Promise<void>;
  /**
   * Changes native attributes of one item in one conditional write and answers the item's attributes afterwards.
   * A write whose reply was lost is recognised as its own, unless another one came between: what must not even then happen twice
   * needs a condition that tells, or `commit`.
   */
  update(key: Key<unknown, S>, change: Change): Promise<Readonly<Record<string, unknown>>>;
}

/** Somebody else wrote the record between the read and the write. Source of another try by `optimistically`. */
export class VersionConflict extends Error {
  constructor() {
    super('The record changed between its read and its write');
    this.name = 'VersionConflict';
  }
}
