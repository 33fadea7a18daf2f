import { searchFolded } from '../kernel/names/folded.ts';
import type { Key, Range } from '../table/key.ts';
import type { IndexedContact } from './indexed-contact.ts';
import type { Family } from './packed-block.ts';

/** From this many contacts on, a pipeline has stored blocks: fewer are read as quickly from the lists. */
export const fewestStored = 2_000;

/**
 * The search index of a pipeline of contacts, as it is stored: blocks, which a manifest names, and change batches. Losing any
 * of it loses no data: the index is made again from the lists of the board.
 */

/** A block, and where its families are stored. */
export interface StoredBlock {
  readonly stageId: string;
  readonly rows: number;
  /** The id of each family's item. Nothing is ever stored under an id a second time. Blocks of earlier versions lack some families. */
  readonly parts: { readonly keys: string } & { readonly [F in Family]?: string };
}

/** The content of the blocks. */
export interface Contents {
  /** Those of one stage are in board order. */
  readonly blocks: readonly StoredBlock[];
  /** For each shard of the counters, the number of the last change that the blocks contain. */
  readonly changes: readonly number[];
  /** Milliseconds since 1970. */
  readonly builtAt: number;
}

/** A compaction or a listing under way: each part adds blocks, and the last one makes them the contents. */
export interface Work {
  /** Whether the blocks are made from the lists of the board, and not from the former ones. */
  readonly isListing: boolean;
  /** Those of the parts that are done, in the order of the stages. */
  readonly blocks: readonly StoredBlock[];
  /** For each shard of the counters, the number of the last change that the blocks contain. */
  readonly changes: readonly number[];
  /** The stages that are not done; the next part begins with the first. */
  readonly stageIds: readonly string[];
  /** How many former blocks of the first stage are done. */
  readonly done?: number;
  /** The last row of the first stage's list that is done. */
  readonly below?: string;
  /** Who tried the next part: the last one is at work, those before ended too early. Their blocks' ids begin with theirs. */
  readonly attempts: readonly Attempt[];
}

interface Attempt {
  readonly id: string;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
}

export interface Manifest {
  /** Undefined until the first blocks are written. */
  readonly contents?: Contents;
  readonly work?: Work;
  /** Items that the contents do not name any more, until they are deleted. */
  readonly discarded: readonly DiscardedPart[];
}

export interface DiscardedPart {
  readonly family: Family;
  readonly stageId: string;
  readonly id: string;
}

/** Changes of contacts, and the contacts after them. */
export interface ChangeBatch {
  /** `version` is that of the contact's record after the change; 0 for a deleted contact. */
  readonly changes: readonly (readonly [shard: number, number: number, contactId: string, version: number])[];
  /** The contact at a version of its record; null if it is in another pipeline. */
  readonly rows: readonly (readonly [contactId: string, version: number, row: BatchRow | null])[];
}

/** Whether a batch says that a contact was deleted, or moved to another pipeline. */
export function isErasing({ changes, rows }: ChangeBatch): boolean {
  return changes.some(([, , , version]) => version === 0) || rows.some(([, , row]) => row === null);
}

/** A contact without the names of its fields. */
export type BatchRow = readonly [
  createdAt: string,
  stageId: string,
  name: string,
  phones: readonly string[],
  createdBy: string,
  owner: string | null,
  assignees: readonly string[],
  conversationAssignees: readonly string[],
  source: string | null,
  isBulkImport: boolean,
  lastMessageAt: string | null,
  lastMessageDirection: IndexedContact['lastMessageDirection'],
  customFields: IndexedContact['customFields'],
  tags: readonly string[],
  updatedAt: IndexedContact['updatedAt'],
];

/** The contact as a row of a batch: without the names of its fields. */
export function batchRow(contact: IndexedContact): BatchRow {
  return [
    contact.createdAt,
    contact.stageId,
    contact.name,
    contact.phones,
    contact.createdBy,
    contact.owner,
    contact.assignees,
    contact.conversationAssignees,
    contact.source,
    contact.isBulkImport,
    contact.lastMessageAt,
    contact.lastMessageDirection,
    contact.customFields,
    contact.tags,
    contact.updatedAt,
  ];
}

/** Whether a row has all fields: those of earlier versions lack some. */
export const isWhole = (row: BatchRow): boolean => row.length === fieldsOfRow;

const fieldsOfRow = 15;

/** The reverse of `batchRow`. */
export function contactInBatch(_id: string, row: BatchRow): IndexedContact {
  const [createdAt, stageId, name, phones, createdBy, owner, assignees, conversationAssignees, ...rest] = row;
  const [source, isBulkImport, lastMessageAt, lastMessageDirection, customFields, tags, updatedAt] = rest;
  const people = { createdBy, owner, assignees, conversationAssignees, source, isBulkImport };
  return {
    _id,
    createdAt,
    stageId,
    // Batches from before searches ignored accents or points have names with them.
    name: searchFolded(name),
    phones,
    ...people,
    lastMessageAt,
    lastMessageDirection,
    customFields,
    tags,
    updatedAt,
  };
}

export const searchManifestKey = (pipelineId: string): Key<Manifest> => ({
  partition: ['SEARCH', pipelineId],
  sort: ['INDEX'],
});

/** The columns of a family, as the attribute `bytes`. */
export const searchBlockKey = (
  pipelineId: string,
  family: Family,
  stageId: string,
  writer: string,
  number: string,
): Key<Record<string, never>> => ({
  partition: ['SEARCH', pipelineId],
  sort: ['BLOCK', family, stageId, writer, number],
});

/** Where a part with this id is stored, which begins with the id of its writer. */
export function keyOfPart(pipelineId: string, { family, stageId, id }: DiscardedPart) {
  const end = id.lastIndexOf('-');
  return searchBlockKey(pipelineId, family, stageId, id.slice(0, end), id.slice(end + 1));
}

/** The id of the part at a key. */
export const idOfPart = ({ sort }: Key<unknown>) => sort.slice(-2).join('-');

/** All blocks of a stage, or those of one writer. */
export const searchBlockRange = (
  pipelineId: string,
  family: Family,
  stageId: string,
  writer?: string,
): Range<Record<string, never>> => ({
  partition: ['SEARCH', pipelineId],
  under: ['BLOCK', family, stageId, ...(writer === undefined ? [] : [writer])],
});

export const changeBatchKey = (pipelineId: string, id: string): Key<ChangeBatch> => ({
  partition: ['SEARCH', pipelineId],
  sort: ['CHANGES', id],
});

export const changeBatchRange = (pipelineId: string): Range<ChangeBatch> => ({
  partition: ['SEARCH', pipelineId],
  under: ['CHANGES'],
});

/** What the reader of the stream must know of the contents: small, because it reads it with every change. */
export interface Summary extends Pick<Contents, 'changes'> {
  readonly contacts: number;
}

export const searchSummaryKey = (pipelineId: string): Key<Summary> => ({
  partition: ['SEARCH', pipelineId],
  sort: ['SUMMARY'],
});

/** Everything of a pipeline's index. */
export const searchRange = (pipelineId: string): Range<unknown> => ({ partition: ['SEARCH', pipelineId] });
