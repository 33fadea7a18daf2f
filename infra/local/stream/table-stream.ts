import type { Shard, StartOfReading, StreamPage, StreamRequests } from './stream-requests.ts';

/** A shard, and the stream that it belongs to. */
export interface FoundShard extends Shard {
  streamArn: string;
}

interface CachedPage {
  page: Promise<StreamPage>;
  /** The number of announcements when the page was requested. */
  announced: number;
  takers: number;
}

/** How many pages are cached; readers that are further apart request their own. A page has a few megabytes at most. */
const maxCachedPages = 2;

/**
 * A table's stream, shared by all its readers. Its shards are looked up once, because the embedded database reads every record to list
 * them, and a page is requested once for readers at the same place.
 */
export class TableStream {
  readonly #requests: StreamRequests;
  readonly #tableName: string;
  readonly #pages = new Map<string, CachedPage>();
  readonly #idle: NodeJS.Timeout;
  #found: FoundShard[] | undefined;
  #finding: Promise<FoundShard[]> | undefined;
  #readers = 0;
  #announced = 0;
  #wake = Promise.withResolvers<void>();

  /** Readers find a change that was not announced after `idleMilliseconds`. */
  constructor(requests: StreamRequests, tableName: string, idleMilliseconds: number) {
    this.#requests = requests;
    this.#tableName = tableName;
    this.#idle = setInterval(() => this.announce(), idleMilliseconds);
  }

  /** Something may have changed: wakes the readers that wait. */
  announce(): void {
    this.#announced += 1;
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  /** Resolves at the next announcement. A reader that gets this before it reads misses no change that comes after the read. */
  get announcement(): Promise<void> {
    return this.#wake.promise;
  }

  /** The shards that have been found so far. */
  get knownShards(): readonly FoundShard[] {
    return this.#found ?? [];
  }

  /** The shards. They are looked up again when the caller has those that are known already. */
  async shards(outdated?: readonly FoundShard[]): Promise<readonly FoundShard[]> {
    if (this.#found !== undefined && this.#found !== outdated) {
      return this.#found;
    }
    this.#finding ??= this.#find().finally(() => {
      this.#finding = undefined;
    });
    this.#found = await this.#finding;
    return this.#found;
  }

  iterator({ streamArn, ShardId }: FoundShard, from: StartOfReading): Promise<string | undefined> {
    return this.#requests.iterator(streamArn, ShardId, from);
  }

  /** One more reader takes pages, until it leaves. */
  join(): void {
    this.#readers += 1;
  }

  leave(): void {
    this.#readers -= 1;
  }

  /** The page at an iterator; if it is the last one, it is not from before the latest announcement. */
  async page(iterator: string): Promise<StreamPage> {
    const announced = this.#announced;
    const cached = this.#pages.get(iterator);
    if (cached !== undefined) {
      this.#take(iterator, cached);
      const page = await cached.page;
      if (page.next === undefined || cached.announced === announced || !page.isLast) {
        return page;
      }
    }
    const latest = this.#pages.get(iterator);
    const requested = latest === undefined || latest === cached ? this.#request(iterator) : latest;
    this.#take(iterator, requested);
    return requested.page;
  }

  close(): void {
    clearInterval(this.#idle);
    this.#pages.clear();
  }

  async #find(): Promise<FoundShard[]> {
    const found: FoundShard[] = [];
    for (const streamArn of await this.#requests.streamArns(this.#tableName)) {
      const shards = await this.#requests.shards(streamArn);
      found.push(...shards.map((shard) => ({ streamArn, ...shard })));
    }
    return found;
  }

  #request(iterator: string): CachedPage {
    const cached: CachedPage = {
      page: this.#requests.page(iterator),
      announced: this.#announced,
      takers: 0,
    };
    this.#pages.set(iterator, cached);
    const forget = () => {
      if (this.#pages.get(iterator) === cached) {
        this.#pages.delete(iterator);
      }
    };
    cached.page.then(({ records }) => {
      // Later records will be at the same iterator.
      if (records.length === 0) {
        forget();
      }
    }, forget);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > maxCachedPages && oldest !== undefined) {
      this.#pages.delete(oldest);
    }
    return cached;
  }

  /** Counts a reader that takes a page, and drops the page once all readers have it. */
  #take(iterator: string, cached: CachedPage): void {
    cached.takers += 1;
    if (cached.takers >= this.#readers && this.#pages.get(iterator) === cached) {
      this.#pages.delete(iterator);
    }
  }
}
