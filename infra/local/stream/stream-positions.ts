import * as z from 'zod';
import { durableValue } from '../data/durable-file.ts';

const Position = z.union([z.object({ after: z.string() }), z.literal('finished')]);

/** How far a mapping has read a shard: the last sequence number that it has finished, or all of it. */
export type Position = z.infer<typeof Position>;

/** By the mapping's id, then by the shard's key. */
const Positions = z.record(z.string(), z.record(z.string(), Position));

/** How far each mapping has read each shard. */
export interface StreamPositions {
  of(mapping: string, shard: string): Position | undefined;
  /** The position at which the next start continues, even if this process is killed now. */
  saved(mapping: string, shard: string): Position | undefined;
  /** Resolves once the position is on disk. */
  save(mapping: string, shard: string, position: Position): Promise<void>;
  /** Stores a position less urgently: it is on disk within these milliseconds, or with the next one that is saved. */
  note(mapping: string, shard: string, position: Position, milliseconds: number): void;
  /** Resolves once everything is on disk, if it can be. */
  close(): Promise<void>;
}

/** Opens the positions in `file`; without it they are lost at the end. */
export async function openPositions(file: string | undefined): Promise<StreamPositions> {
  const kept = await durableValue({ file, schema: Positions, initial: {} });
  let latest = kept.current();
  let noting: NodeJS.Timeout | undefined;
  let noteDue = Number.POSITIVE_INFINITY;

  function set(mapping: string, shard: string, position: Position): void {
    latest = { ...latest, [mapping]: { ...latest[mapping], [shard]: position } };
  }

  async function write(): Promise<void> {
    clearTimeout(noting);
    noteDue = Number.POSITIVE_INFINITY;
    // One write stores the positions of all callers that wait for it.
    await kept.change(() => latest);
  }

  return {
    of: (mapping, shard) => latest[mapping]?.[shard],
    saved: (mapping, shard) => kept.current()[mapping]?.[shard],
    async save(mapping, shard, position) {
      set(mapping, shard, position);
      await write();
    },
    note(mapping, shard, position, milliseconds) {
      set(mapping, shard, position);
      const due = performance.now() + milliseconds;
      if (due < noteDue) {
        clearTimeout(noting);
        noteDue = due;
        // If this fails, the next write stores the position.
        noting = setTimeout(() => void write().catch(() => undefined), milliseconds);
      }
    },
    close: () => write().catch(() => undefined),
  };
}

/** Identifies a shard among those of every stream that a data directory has ever had. */
export function shardKey({ streamArn, ShardId }: { streamArn: string; ShardId: string }): string {
  return `${streamArn} ${ShardId}`;
}
