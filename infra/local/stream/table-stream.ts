import type { Shard, StartOfReading, StreamPage, StreamRequests } from './stream-requests.ts';

/** A shard, and the stream that it is of. */
export interface FoundShard extends Shard {
  streamArn: string;
}

interface KeptPage {
  page: Promise<StreamPage>;
  /** How often changes had been announced when it was requested. */
  announced: number;
  takers: number;
}

/** Readers that are further apart request their own pages. A page is a few megabytes at most. */
const maxKeptPages = 2;

/**
 * A table's stream as all its readers share it: its shards are looked up once, since the embedded database reads every record for
 * the answer, and a page is requested once for readers that have come equally far.
 */
export class TableStream {
  readonly #requests: StreamRequests;
  readonly #tableName: string;
  readonly #pages = new Map<string, KeptPage>();
  readonly #idle: NodeJS.Timeout;
  #found: FoundShard[] | undefined;
  #finding: Promise<FoundShard[]> | undefined;
  #readers = 0;
  #announced = 0;
  #wake = Promise.withResolvers<void>();

  /** Readers find a change that nobody has announced after `idleMilliseconds`. */
  constructor(requests: StreamRequests, tableName: string, idleMilliseconds: number) {
    this.#requests = requests;
    this.#tableName = tableName;
    this.#idle = setInterval(() => this.announce(), idleMilliseconds);
  }

  /** Something may have changed: whoever waits looks. */
  announce(): void {
    this.#announced += 1;
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  /** Resolves at the next announcement. Whoever asks before a read misses no change that the read has not seen. */
  get announcement(): Promise<void> {
    return this.#wake.promise;
  }

  /** The shards as far as they have been found. */
  get knownShards(): readonly FoundShard[] {
    return this.#found ?? [];
  }

  /** The shards; another look is taken when the caller's are those that are known already. */
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

  /** The page at an iterator; never an empty one from before the latest announcement. */
  async page(iterator: string): Promise<StreamPage> {
    const announced = this.#announced;
    const kept = this.#pages.get(iterator);
    if (kept !== undefined) {
      this.#take(iterator, kept);
      const page = await kept.page;
      if (page.records.length > 0 || page.next === undefined || kept.announced === announced) {
        return page;
      }
    }
    const requested = this.#pages.get(iterator) ?? this.#request(iterator);
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

  #request(iterator: string): KeptPage {
    const kept: KeptPage = {
      page: this.#requests.page(iterator),
      announced: this.#announced,
      takers: 0,
    };
    this.#pages.set(iterator, kept);
    const forget = () => {
      if (this.#pages.get(iterator) === kept) {
        this.#pages.delete(iterator);
      }
    };
    kept.page.then(({ records }) => {
      // What comes later is at the same iterator.
      if (records.length === 0) {
        forget();
      }
    }, forget);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > maxKeptPages && oldest !== undefined) {
      this.#pages.delete(oldest);
    }
    return kept;
  }

  /** A page that all readers have is not kept for any. */
  #take(iterator: string, kept: KeptPage): void {
    kept.takers += 1;
    if (kept.takers >= this.#readers && this.#pages.get(iterator) === kept) {
      this.#pages.delete(iterator);
    }
  }
}
