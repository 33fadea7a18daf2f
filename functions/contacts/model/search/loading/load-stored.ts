import type { Stored, TableReader } from '../../../../../shared/table/table.ts';
import { KnownChanges } from '../changes/known-changes.ts';
import { SearchIndex } from '../index/search-index.ts';
import type { Group } from '../segments/packed-segment.ts';
import { Segment } from '../segments/segment.ts';
import {
  type ChangeBlock,
  type Contents,
  changeBlockRange,
  type Manifest,
  type StoredSegment,
  searchManifestKey,
  searchSegmentRange,
} from '../stored-index.ts';
import type { LoadedIndex, LoadedSegment, StoredContents } from './loaded-index.ts';

/** What says which segments of the pipeline are stored; undefined before its first compaction. */
export function readManifest(table: TableReader, pipelineId: string): Promise<Stored<Manifest> | undefined> {
  return table.read(searchManifestKey(pipelineId));
}

/** The changes since the last compaction. Without `consistent`, those of about the last second may be missing. */
async function readBlocks(
  table: TableReader,
  pipelineId: string,
  options: { consistent: boolean },
): Promise<ChangeBlock[]> {
  return (await table.list(changeBlockRange(pipelineId), options)).map(({ data }) => data);
}

/** The changes since these contents, as far as blocks have them; undefined if later contents have replaced these. */
export async function changesSince(
  table: TableReader,
  pipelineId: string,
  { builtAt }: Contents,
): Promise<KnownChanges | undefined> {
  const [manifest, blocks] = await Promise.all([
    readManifest(table, pipelineId),
    readBlocks(table, pipelineId, { consistent: true }),
  ]);
  return manifest?.data.contents?.builtAt === builtAt ? new KnownChanges(blocks) : undefined;
}

/** Compactions that may overtake one loading. */
const maxLoadings = 3;

/**
 * Loads the stored segments with these groups; undefined if there are none. What changed since is in `known` as far as its blocks
 * were visible: whoever misses something reads them again.
 */
export async function loadStored(
  table: TableReader,
  pipelineId: string,
  wanted: readonly Group[],
): Promise<LoadedIndex | undefined> {
  for (let loading = 0; loading < maxLoadings; loading += 1) {
    const [manifest, blocks] = await Promise.all([
      readManifest(table, pipelineId),
      readBlocks(table, pipelineId, { consistent: false }),
    ]);
    const contents = manifest?.data.contents;
    if (contents === undefined) {
      return undefined;
    }
    const segments = await loadSegments(table, pipelineId, wanted, contents);
    if (segments !== undefined) {
      return {
        index: new SearchIndex(segments.map(({ segment }) => segment)),
        changes: contents.changes,
        known: new KnownChanges(blocks),
        stored: { contents, segments },
      };
    }
  }
  return undefined;
}

/** Undefined if a later manifest has replaced some of them. */
async function loadSegments(
  table: TableReader,
  pipelineId: string,
  wanted: readonly Group[],
  contents: Contents,
): Promise<LoadedSegment[] | undefined> {
  const packed = new Map<Group, ReadonlyMap<string, Uint8Array> | undefined>(
    await Promise.all(
      [...new Set<Group>(['keys', ...wanted])].map(
        async (group) => [group, await readGroup(table, pipelineId, group, contents.segments)] as const,
      ),
    ),
  );
  const segments: LoadedSegment[] = [];
  for (const stored of contents.segments) {
    const keys = packed.get('keys')?.get(stored.parts.keys);
    if (keys === undefined) {
      return undefined;
    }
    segments.push({ segment: new Segment(stored.stageId, keys), stored });
  }
  for (const group of wanted) {
    if (!addGroup(segments, group, packed.get(group))) {
      return undefined;
    }
  }
  return segments;
}

/** Adds a group that was not needed until now. False if a later manifest has replaced the segments. */
export async function loadGroup(
  table: TableReader,
  pipelineId: string,
  group: Group,
  { contents, segments }: StoredContents,
): Promise<boolean> {
  return addGroup(segments, group, await readGroup(table, pipelineId, group, contents.segments));
}

function addGroup(
  segments: readonly LoadedSegment[],
  group: Group,
  packed: ReadonlyMap<string, Uint8Array> | undefined,
): boolean {
  for (const { segment, stored } of segments) {
    const bytes = packed?.get(stored.parts[group]);
    if (bytes === undefined) {
      return false;
    }
    if (!segment.has(group)) {
      segment.add(group, bytes);
    }
  }
  return true;
}

/**
 * A group of all segments, by the id of its item. Items never change, so they are read at half the price; one that is not visible yet
 * is read again. Undefined if one is missing.
 */
export async function readGroup(
  table: TableReader,
  pipelineId: string,
  group: Group,
  segments: readonly StoredSegment[],
): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const found = new Map<string, Uint8Array>();
  const byStage = Map.groupBy(segments, ({ stageId }) => stageId);
  const areComplete = await Promise.all(
    [...byStage].map(async ([stageId, own]) => {
      for (const consistent of [false, true]) {
        const range = searchSegmentRange(pipelineId, group, stageId);
        for (const { key, attributes } of await table.list(range, { consistent })) {
          found.set(key.sort.at(-1) ?? '', attributes?.bytes as Uint8Array);
        }
        if (own.every(({ parts }) => found.has(parts[group]))) {
          return true;
        }
      }
      return false;
    }),
  );
  return areComplete.every(Boolean) ? found : undefined;
}
