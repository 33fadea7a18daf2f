import type { BoardCounters } from '../contact-aggregate/counters.ts';
import type { Pipeline } from '../contacts/pipeline.ts';
import type { Stored, TableReader } from '../table/table.ts';
import { Block } from './block.ts';
import { type ChangeNumbers, KnownChanges } from './known-changes.ts';
import type { Family } from './packed-block.ts';
import { SearchIndex } from './search-index.ts';
import {
  type ChangeBatch,
  type Contents,
  changeBatchRange,
  idOfPart,
  type Manifest,
  type StoredBlock,
  searchBlockRange,
  searchManifestKey,
} from './stored-index.ts';

/** The record that says which blocks of the pipeline are stored; undefined before its first compaction. */
export function readManifest(table: TableReader, pipelineId: string): Promise<Stored<Manifest> | undefined> {
  return table.read(searchManifestKey(pipelineId));
}

/** The changes since the last compaction. Without `consistent`, those of about the last second may be missing. */
async function readBatches(
  table: TableReader,
  pipelineId: string,
  options: { consistent: boolean },
): Promise<ChangeBatch[]> {
  return (await table.list(changeBatchRange(pipelineId), options)).map(({ data }) => data);
}

/** Whether these contents are still the last ones. */
export async function isCurrent(
  table: TableReader,
  pipelineId: string,
  { builtAt }: Contents,
): Promise<boolean> {
  return (await readManifest(table, pipelineId))?.data.contents?.builtAt === builtAt;
}

/** The changes since these contents, as far as batches have them; undefined if later contents have replaced these. */
export async function readChangesSince(
  table: TableReader,
  pipelineId: string,
  contents: Contents,
): Promise<KnownChanges | undefined> {
  const [isLast, batches] = await Promise.all([
    isCurrent(table, pipelineId, contents),
    readBatches(table, pipelineId, { consistent: true }),
  ]);
  return isLast ? new KnownChanges(batches) : undefined;
}

/** Compactions that may overtake one loading. */
const maxLoadings = 3;

/**
 * Loads the stored blocks with these families; undefined if there are none. What changed since is in `known` as far as its batches
 * were visible: whoever misses something reads them again.
 */
export async function loadStored(
  table: TableReader,
  pipelineId: string,
  wanted: readonly Family[],
): Promise<LoadedIndex | undefined> {
  for (let loading = 0; loading < maxLoadings; loading += 1) {
    const [manifest, batches] = await Promise.all([
      readManifest(table, pipelineId),
      readBatches(table, pipelineId, { consistent: false }),
    ]);
    const contents = manifest?.data.contents;
    if (contents === undefined) {
      return undefined;
    }
    const blocks = await loadBlocks(table, pipelineId, wanted, contents);
    if (blocks !== undefined) {
      return {
        index: new SearchIndex(blocks.map(({ block }) => block)),
        changes: contents.changes,
        known: new KnownChanges(batches),
        stored: { contents, blocks },
      };
    }
  }
  return undefined;
}

/** Undefined if a later manifest has replaced some of them. */
async function loadBlocks(
  table: TableReader,
  pipelineId: string,
  wanted: readonly Family[],
  contents: Contents,
): Promise<LoadedBlock[] | undefined> {
  const packed = new Map<Family, ReadonlyMap<string, Uint8Array> | undefined>(
    await Promise.all(
      [...new Set<Family>(['keys', ...wanted])].map(
        async (family) => [family, await readFamily(table, pipelineId, family, contents.blocks)] as const,
      ),
    ),
  );
  const blocks: LoadedBlock[] = [];
  for (const stored of contents.blocks) {
    const keys = packed.get('keys')?.get(stored.parts.keys);
    if (keys === undefined) {
      return undefined;
    }
    blocks.push({ block: new Block(stored.stageId, keys), stored });
  }
  for (const family of wanted) {
    if (!addFamily(blocks, family, packed.get(family))) {
      return undefined;
    }
  }
  return blocks;
}

/** Adds a family that was not needed until now. False if a later manifest has replaced the blocks. */
export async function loadFamily(
  table: TableReader,
  pipelineId: string,
  family: Family,
  { contents, blocks }: StoredContents,
): Promise<boolean> {
  return addFamily(blocks, family, await readFamily(table, pipelineId, family, contents.blocks));
}

function addFamily(
  blocks: readonly LoadedBlock[],
  family: Family,
  packed: ReadonlyMap<string, Uint8Array> | undefined,
): boolean {
  for (const { block, stored } of blocks) {
    const bytes = packed?.get(stored.parts[family] ?? '');
    if (bytes === undefined) {
      return false;
    }
    if (!block.has(family)) {
      block.add(family, bytes);
    }
  }
  return true;
}

/**
 * A family of all blocks, by the id of its item. Items never change, so they are read at half the price; one that is not visible yet
 * is read again. Undefined if one is missing.
 */
export async function readFamily(
  table: TableReader,
  pipelineId: string,
  family: Family,
  blocks: readonly StoredBlock[],
): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const found = new Map<string, Uint8Array>();
  const byStage = Map.groupBy(blocks, ({ stageId }) => stageId);
  const areComplete = await Promise.all(
    [...byStage].map(async ([stageId, own]) => {
      for (const consistent of [false, true]) {
        const range = searchBlockRange(pipelineId, family, stageId);
        for (const { key, attributes } of await table.list(range, { consistent })) {
          found.set(idOfPart(key), attributes?.bytes as Uint8Array);
        }
        if (own.every(({ parts }) => found.has(parts[family] ?? ''))) {
          return true;
        }
      }
      return false;
    }),
  );
  return areComplete.every(Boolean) ? found : undefined;
}

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
  readonly blocks: readonly LoadedBlock[];
}

export interface LoadedBlock {
  readonly block: Block;
  readonly stored: StoredBlock;
}

/** All contacts of the pipeline. */
export function contactsIn(counters: BoardCounters, { stages }: IndexedPipeline): number {
  return stages.reduce((sum, { _id }) => sum + counters.of(_id).total, 0);
}
