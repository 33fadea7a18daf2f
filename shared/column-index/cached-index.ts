import { type ContactChange, readCounters, type ShardChanges } from '../contact-aggregate/counters.ts';
import { unavailable } from '../kernel/transient-errors.ts';
import { pause } from '../table/backoff.ts';
import type { TableReader } from '../table/table.ts';
import { IndexState } from './index-state.ts';
import { type ChangeNumbers, changeNumbers, type KnownChanges } from './known-changes.ts';
import {
  type IndexedPipeline,
  isCurrent,
  type LoadedIndex,
  loadFamily,
  readChangesSince,
  type StoredContents,
} from './load-stored.ts';
import { type Family, families } from './packed-block.ts';

/** Pauses while a write of somebody else becomes visible item by item, or reaches the batches: two seconds in all. */
const pauses = [2, 4, 8, 16, 30, 60, 120, 250, 250, 250, 500, 500];

/** The pauses for a difference in number: it mostly means that the index must be loaded again. */
const pausesForCounts = 5;

/** Readings in a row that each find later versions of records than the counters show. */
const maxReadings = 50;

/**
 * After each so many changed contacts, an index is loaded again if it has been compacted since, because blocks hold them in a tenth of the
 * memory.
 */
const maxChanged = 10_000;

/** `outdated`: the index must be loaded again. `lost`: stored blocks cannot be followed either, so only the lists can tell. */
export type Following = 'current' | 'outdated' | 'lost';

/** An index that a warm process caches, and follows by the counters of its pipeline. */
export class CachedIndex {
  readonly state: IndexState;
  /** In milliseconds since 1970: then it must be loaded again. */
  readonly validUntil: number;
  /** The numbers of the changes with which it was loaded. */
  readonly loadedChanges: ChangeNumbers;
  readonly #pipelineId: string;
  readonly #stageIds: Set<string>;
  readonly #stored: StoredContents | undefined;
  #changes: ChangeNumbers;
  #mostChanged = maxChanged;
  #known: KnownChanges;
  #following: Promise<Following> | undefined;
  #next: Promise<Following> | undefined;

  constructor({ _id, stages }: IndexedPipeline, loaded: LoadedIndex) {
    const { index, changes, known, stored, validUntil = Number.POSITIVE_INFINITY } = loaded;
    this.#pipelineId = _id;
    this.#stageIds = new Set(stages.map((stage) => stage._id));
    this.state = new IndexState(_id, index);
    this.loadedChanges = changes;
    this.#changes = changes;
    this.#known = known;
    this.#stored = stored;
    this.validUntil = validUntil;
  }

  /** When its blocks were written, in milliseconds since 1970; undefined if it has none that are stored. */
  get builtAt(): number | undefined {
    return this.#stored?.contents.builtAt;
  }

  /** Stages that have come since. */
  addStages({ stages }: IndexedPipeline): void {
    for (const { _id } of stages) {
      this.#stageIds.add(_id);
    }
  }

  /** About how much memory it takes. */
  get bytes(): number {
    const { index, cards } = this.state;
    return index.bytes + cards.bytes;
  }

  /** Makes these families available. False if the index must be loaded again for that. */
  async has(table: TableReader, wanted: readonly Family[]): Promise<boolean> {
    const { blocks } = this.state.index;
    const missing = families.filter(
      (family) => wanted.includes(family) && blocks.some((block) => !block.has(family)),
    );
    const stored = this.#stored;
    if (missing.length === 0 || stored === undefined) {
      return missing.length === 0;
    }
    const loaded = missing.map((family) => loadFamily(table, this.#pipelineId, family, stored));
    return (await Promise.all(loaded)).every(Boolean);
  }

  /**
   * Brings the index to a state that the pipeline has had since this call; it stays so until the next await of the caller. Callers at the
   * same time share the work.
   * @throws a 503 `Failure` when a write of somebody else does not become visible.
   */
  follow(table: TableReader): Promise<Following> {
    if (this.#following === undefined) {
      this.#following = this.#catchUp(table).finally(() => {
        this.#following = undefined;
      });
      return this.#following;
    }
    // A load that is under way may have read the counters before this call.
    this.#next ??= this.#following
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.follow(table);
      });
    return this.#next;
  }

  async #catchUp(table: TableReader): Promise<Following> {
    if (this.state.index.changed.size > this.#mostChanged && this.#stored !== undefined) {
      this.#mostChanged += maxChanged;
      if (!(await isCurrent(table, this.#pipelineId, this.#stored.contents))) {
        return 'outdated';
      }
    }
    const waits = pauses.values();
    const waited = async () => {
      const { value, done } = waits.next();
      await pause(value ?? 0);
      return !done;
    };
    let waitsForCounts = pausesForCounts;
    let former: ChangeNumbers | undefined;
    for (let reading = 0; reading < maxReadings; reading += 1) {
      const counters = await readCounters(table, this.#pipelineId);
      const shards = counters.changes();
      const changes = this.#known.since(this.#changes, shards) ?? (await this.#missed(table, shards));
      if (changes === 'replaced') {
        return 'outdated';
      }
      if (changes === undefined || !(await this.state.apply(table, changes, this.#known))) {
        if (await waited()) {
          continue;
        }
        if (changes === undefined) {
          return 'lost';
        }
        throw unavailable(new Error('The record of a changed contact does not become visible'));
      }
      const numbers = changeNumbers(shards);
      this.#changes = numbers;
      const isStill = former?.every((number, shard) => number === numbers[shard]) === true;
      former = numbers;
      if (this.state.isAhead && !isStill) {
        continue;
      }
      if (this.state.agrees(counters, this.#stageIds)) {
        this.state.settle();
        return 'current';
      }
      waitsForCounts -= 1;
      if (waitsForCounts < 0 || !(await waited())) {
        return 'outdated';
      }
    }
    throw unavailable(new Error('The contacts change faster than they can be read'));
  }

  /** The changes that only batches know: a write reaches them after a moment. */
  async #missed(
    table: TableReader,
    shards: readonly ShardChanges[],
  ): Promise<ContactChange[] | 'replaced' | undefined> {
    const known = this.#stored && (await readChangesSince(table, this.#pipelineId, this.#stored.contents));
    if (known === undefined) {
      return 'replaced';
    }
    this.#known = known;
    return known.since(this.#changes, shards);
  }
}

/** Bytes of all indexes together: a third of a function's memory of 1 GB. */
const capacity = 350 * 1024 * 1024;

/** The indexes that a warm process caches. The least recently used one goes first, but never the one that is used now, however large. */
export class IndexCache {
  readonly #indexes = new Map<string, CachedIndex>();
  readonly #capacity: number;

  constructor(bytes: number = capacity) {
    this.#capacity = bytes;
  }

  /** The index; undefined if there is none, or if it must be loaded again by now. */
  get(key: string, now: Date): CachedIndex | undefined {
    const index = this.#indexes.get(key);
    return index !== undefined && now.getTime() < index.validUntil ? index : undefined;
  }

  /** The numbers of the changes of some time ago, with which an index was loaded that must be loaded again by now. */
  earlierChanges(key: string, now: Date): ChangeNumbers | undefined {
    const index = this.#indexes.get(key);
    return index !== undefined && now.getTime() >= index.validUntil ? index.loadedChanges : undefined;
  }

  /** Caches an index that was just used. It grows with what is searched, so all are weighed each time. */
  put(key: string, index: CachedIndex): void {
    this.#indexes.delete(key);
    this.#indexes.set(key, index);
    let bytes = [...this.#indexes.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const [oldest, one] of this.#indexes) {
      if (bytes <= this.#capacity || one === index) {
        break;
      }
      this.#indexes.delete(oldest);
      bytes -= one.bytes;
    }
  }

  /** Forgets an index, unless another one has taken its place. */
  drop(key: string, index: CachedIndex): void {
    if (this.#indexes.get(key) === index) {
      this.#indexes.delete(key);
    }
  }
}

/** Those of this process, by organization and pipeline. */
export const indexCache = new IndexCache();

export const keyOfIndex = (organizationId: string, pipelineId: string) => `${organizationId} ${pipelineId}`;
