import * as z from 'zod';
import { openDurableValue } from '../data/durable-file.ts';

const Position = z.union([z.object({ after: z.string() }), z.literal('finished')]);

/** How far a mapping has read a shard: the last sequence number that it has finished, or all of it. */
export type Position = z.infer<typeof Position>;

/** By the mapping's id, then by the shard's key. */
const Positions = z.record(z.string(), z.record(z.string(), Position));

/** After a kill, the batches of this last period are delivered once more. In return no batch waits for the disk. */
const writeMilliseconds = 500;

/** How far each mapping has read each shard. */
export interface StreamPositions {
  of(mapping: string, shard: string): Position | undefined;
  /** The position is on disk within half a second. */
  set(mapping: string, shard: string, position: Position): void;
  /** Resolves once everything is on disk, if it can be. */
  close(): Promise<void>;
}

/** Opens the positions in `file`; without it they are lost at the end. */
export async function openPositions(file: string | undefined): Promise<StreamPositions> {
  const kept = await openDurableValue({ file, schema: Positions, initial: {} });
  let latest = kept.current();
  let writing: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    clearTimeout(writing);
    writing = undefined;
    // If this fails, the next write stores the positions.
    await kept.change(() => latest).catch(() => undefined);
  }

  return {
    of: (mapping, shard) => latest[mapping]?.[shard],
    set(mapping, shard, position) {
      latest = { ...latest, [mapping]: { ...latest[mapping], [shard]: position } };
      writing ??= setTimeout(() => void write(), writeMilliseconds);
    },
    close: write,
  };
}

/** Identifies a shard among those of every stream that a data directory has ever had. */
export function shardKey({ streamArn, ShardId }: { streamArn: string; ShardId: string }): string {
  return `${streamArn} ${ShardId}`;
}
