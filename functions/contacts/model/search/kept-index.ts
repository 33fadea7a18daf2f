import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { BoardCounters, ContactChange } from '../../../../shared/board/counters.ts';
import { contactKey } from '../../../../shared/contacts/contact.ts';
import { unavailable } from '../../../../shared/kernel/transient-errors.ts';
import { pause } from '../../../../shared/table/backoff.ts';
import { readAll } from '../../../../shared/table/read-all.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { readCounters } from '../board-counters.ts';
import { FoundCards } from './found-cards.ts';
import { indexedContact } from './indexed-contact.ts';
import { type ChangeNumbers, KnownChanges, numbersOf } from './known-changes.ts';
import {
  type IndexedPipeline,
  type LoadedIndex,
  loadGroup,
  readBlocks,
  readManifest,
  type StoredContents,
} from './load-index.ts';
import type { SearchIndex } from './search-index.ts';
import { type Group, groups } from './segment.ts';

/** Pauses while a write of somebody else becomes visible item by item, or reaches the blocks: two seconds in all. */
const pauses = [2, 4, 8, 16, 30, 60, 120, 250, 250, 250, 500, 500];

/** The pauses for a difference in number: it mostly means that the index must be loaded again. */
const pausesForCounts = 5;

/** Readings in a row that each find later records than the counters tell of. */
const maxReadings = 50;

/** From this many changed contacts on, an index is loaded again, because segments hold them in a tenth of the memory. */
const maxChanged = 10_000;

/** `outdated`: the index must be loaded again. `lost`: stored segments cannot be followed either, so only the lists can tell. */
export type Following = 'current' | 'outdated' | 'lost';

/** An index that a warm process keeps, and follows by the counters of its pipeline. */
export class KeptIndex {
  readonly index: SearchIndex;
  readonly #pipelineId: string;
  readonly #stageIds: Set<string>;
  readonly #stored: StoredContents | undefined;
  #changes: ChangeNumbers;
  #known: KnownChanges;
  #counters: BoardCounters | undefined;
  /** Records that were read later than the counters tell of. */
  readonly #ahead = new Set<string>();
  #following: Promise<Following> | undefined;
  #nextFollowing: Promise<Following> | undefined;
  /** Raised by every change of the index. */
  revision = 0;
  readonly cards = new FoundCards();

  constructor({ _id, stages }: IndexedPipeline, { index, changes, known, stored }: LoadedIndex) {
    this.#pipelineId = _id;
    this.#stageIds = new Set(stages.map((stage) => stage._id));
    this.index = index;
    this.#changes = changes;
    this.#known = known;
    this.#stored = stored;
  }

  /** When its segments were written, in milliseconds since 1970; undefined if it has none that are stored. */
  get builtAt(): number | undefined {
    return this.#stored?.contents.builtAt;
  }

  /** The counters of the state that the index is at; undefined while it is at none, because it has some of the next changes only. */
  get counters(): BoardCounters | undefined {
    return this.#counters;
  }

  /** Stages that have come since. */
  addStages({ stages }: IndexedPipeline): void {
    for (const { _id } of stages) {
      this.#stageIds.add(_id);
    }
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return this.index.bytes + this.cards.bytes;
  }

  /** Forgets what searches found: the next one looks through the segments, and reads its cards. */
  forgetFound(): void {
    this.index.forgetRows();
    this.cards.clear();
  }

  /** Makes these groups available. False if the index must be loaded again for that. */
  async has(table: TableReader, wanted: readonly Group[]): Promise<boolean> {
    const { segments } = this.index;
    const missing = groups.filter(
      (group) => wanted.includes(group) && segments.some((segment) => !segment.has(group)),
    );
    const stored = this.#stored;
    if (missing.length === 0 || stored === undefined) {
      return missing.length === 0;
    }
    const loaded = missing.map((group) => loadGroup(table, this.#pipelineId, group, stored));
    return (await Promise.all(loaded)).every(Boolean);
  }

  /**
   * Brings the index to a state that the pipeline has had since this call, or since the reading of these counters, which then need not
   * be read once more; it stays so until the next await of the caller. Callers at the same time share the work. Without waiting, it is
   * `lost` or fails as soon as something is not visible yet.
   * @throws a 503 `Failure` when a write of somebody else does not become visible.
   */
  follow(table: TableReader, mayWait = true, counters?: BoardCounters): Promise<Following> {
    if (this.#following === undefined) {
      this.#following = this.#catchUp(table, mayWait, counters).finally(() => {
        this.#following = undefined;
      });
      return this.#following;
    }
    // What is under way may have read the counters before this call.
    this.#nextFollowing ??= this.#following
      .catch(() => undefined)
      .then(() => {
        this.#nextFollowing = undefined;
        return this.follow(table, mayWait);
      });
    return this.#nextFollowing;
  }

  async #catchUp(table: TableReader, mayWait: boolean, since: BoardCounters | undefined): Promise<Following> {
    if (this.index.changed.size > maxChanged && this.#stored !== undefined) {
      return 'outdated';
    }
    let given = since && this.#isPast(since) ? since : undefined;
    if (given !== undefined) {
      // Those for whom the index is current at this moment go on first.
      await eventLoopTurn();
    }
    const waits = pauses.values();
    const waited = async () => {
      if (!mayWait) {
        return false;
      }
      const { value, done } = waits.next();
      await pause(value ?? 0);
      return !done;
    };
    let waitsForCounts = pausesForCounts;
    let former: ChangeNumbers | undefined;
    for (let reading = 0; reading < maxReadings; reading += 1) {
      const counters: BoardCounters = given ?? (await readCounters(table, this.#pipelineId));
      given = undefined;
      const shards = counters.changes();
      const changes = this.#known.since(this.#changes, shards) ?? (await this.#missed(table, shards));
      if (changes === 'replaced') {
        return 'outdated';
      }
      if (changes === undefined || !(await this.#apply(table, changes))) {
        if (await waited()) {
          continue;
        }
        if (changes === undefined) {
          return 'lost';
        }
        throw unavailable(new Error('The record of a changed contact does not become visible'));
      }
      const numbers = numbersOf(shards);
      this.#changes = numbers;
      const isStill = former?.every((number, shard) => number === numbers[shard]) === true;
      former = numbers;
      if (this.#ahead.size > 0 && !isStill) {
        continue;
      }
      if (this.#agrees(counters)) {
        this.#counters = counters;
        this.#ahead.clear();
        return 'current';
      }
      waitsForCounts -= 1;
      if (waitsForCounts < 0 || !(await waited())) {
        return 'outdated';
      }
    }
    throw unavailable(new Error('The contacts change faster than they can be read'));
  }

  /**
   * Whether the index is at a state of the pipeline that is no later than these counters. One that was just loaded from lists may have
   * some later changes, and not others.
   */
  #isPast(counters: BoardCounters): boolean {
    const numbers = numbersOf(counters.changes());
    return (
      this.#counters !== undefined && this.#changes.every((number, shard) => number <= (numbers[shard] ?? 0))
    );
  }

  /** The changes that only blocks know: a write reaches them after a moment. */
  async #missed(
    table: TableReader,
    shards: Parameters<KnownChanges['since']>[1],
  ): Promise<ContactChange[] | 'replaced' | undefined> {
    if (this.#stored === undefined) {
      return 'replaced';
    }
    const [manifest, blocks] = await Promise.all([
      readManifest(table, this.#pipelineId),
      readBlocks(table, this.#pipelineId, { consistent: true }),
    ]);
    if (manifest?.data.contents?.builtAt !== this.#stored.contents.builtAt) {
      return 'replaced';
    }
    this.#known = new KnownChanges(blocks);
    return this.#known.since(this.#changes, shards);
  }

  /** Takes over the contacts of these changes. False if some are not visible yet. */
  async #apply(table: TableReader, changes: readonly ContactChange[]): Promise<boolean> {
    // If this fails half-way, counters that were read before do not show what it has taken over.
    this.#counters = undefined;
    const unread: ContactChange[] = [];
    for (const change of changes) {
      const { contactId, version } = change;
      const row = this.#known.row(change);
      if (version === 0) {
        this.#set(contactId, { version: Number.POSITIVE_INFINITY, contact: undefined });
      } else if (this.index.hasSeen(contactId, version)) {
        this.#compare(change, this.index.changed.get(contactId)?.version ?? version);
      } else if (row !== undefined) {
        this.#set(contactId, row);
        this.#compare(change, row.version);
      } else {
        unread.push(change);
      }
    }
    const records = await readAll(
      table,
      unread.map(({ contactId }) => contactKey(contactId)),
    );
    let isVisible = true;
    for (const [index, change] of unread.entries()) {
      const record = records[index];
      if (record === undefined || record.version < change.version) {
        isVisible = false;
        continue;
      }
      const { data, version } = record;
      const isHere = data.pipelineId === this.#pipelineId;
      this.#set(change.contactId, { version, contact: isHere ? indexedContact(data) : undefined });
      this.#compare(change, version);
      if (isHere) {
        this.cards.putContact(data);
      }
    }
    return isVisible;
  }

  #set(
    contactId: string,
    { version, contact }: { version: number; contact: ReturnType<typeof indexedContact> | undefined },
  ) {
    if (contact === undefined) {
      this.index.remove(contactId, version);
    } else {
      this.index.put(contact, version);
    }
    this.cards.delete(contactId);
    this.revision += 1;
  }

  #compare({ contactId, version }: ContactChange, read: number): void {
    if (read > version) {
      this.#ahead.add(contactId);
    } else {
      this.#ahead.delete(contactId);
    }
  }

  /** Whether the index has as many contacts in each stage as the counters say. */
  #agrees(counters: BoardCounters): boolean {
    return [...new Set([...this.#stageIds, ...this.index.stageIds])].every(
      (stageId) => this.index.size(stageId) === counters.of(stageId).total,
    );
  }
}
