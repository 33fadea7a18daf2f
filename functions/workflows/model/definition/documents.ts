import { gunzipSync, gzipSync } from 'node:zlib';
import { Failure } from '../../../../shared/kernel/failure.ts';
import { bytesPassedOn } from '../../../../shared/kernel/http/response.ts';
import type { DocumentReader, Documents, OwnedObject } from '../../../../shared/kernel/providers/objects.ts';
import {
  announceObjects,
  confirmObjectsAction,
  workflowObjectsKey,
} from '../../../../shared/notes/owned-objects.ts';
import {
  type Action,
  type Stored,
  type TableWriter,
  VersionConflict,
} from '../../../../shared/table/table.ts';
import type { DocumentLocation, DocumentRow, WorkflowHeader } from './workflow.ts';
import { workflowDocumentKey } from './workflow.ts';

/** Zipped bytes up to which a document is stored in the table, where an item may have 400 KB. */
const rowLimit = 350 * 1024;

/** A document ready to be stored. */
export interface PackedDocument {
  readonly location: DocumentLocation;
  readonly zipped: Uint8Array;
}

/** The document zipped, and where it is to be stored: one that is too large for a row becomes an object. */
export function packedDocument(document: string, revision: string): PackedDocument {
  // Takes half the time of the default level, for a few percent more bytes.
  const zipped = gzipSync(document, { level: 4 });
  const store = zipped.length > rowLimit ? 'objects' : 'table';
  return { zipped, location: { revision, store, weight: bytesPassedOn(document) } };
}

/** Each revision has its own object, so that deleting or replacing one never hits another writer's. */
export function objectKey(workflowId: string, { revision }: DocumentLocation): string {
  return `workflows/${workflowId}/${revision}`;
}

/**
 * A document that is not where its header says: it was replaced between the reads, or just now; or it is lost, if a header that was
 * read after that still names its object.
 */
export class DocumentMissing extends VersionConflict {
  readonly location: DocumentLocation;

  constructor(location: DocumentLocation) {
    super();
    this.location = location;
  }
}

/** The document of a header. @throws `DocumentMissing`. */
export async function readDocument(
  { _id, document: location }: WorkflowHeader,
  row: Stored<DocumentRow> | undefined,
  objects: DocumentReader,
): Promise<string> {
  const zipped =
    location.store === 'objects'
      ? await objects.get(objectKey(_id, location))
      : row?.data.revision === location.revision
        ? (row.attributes?.bytes as Uint8Array)
        : undefined;
  if (zipped === undefined) {
    throw new DocumentMissing(location);
  }
  return gunzipSync(zipped).toString();
}

/** The actions that store the document in the row, or delete the row, together with the header's actions. */
function documentActions(
  table: TableWriter,
  before: WorkflowHeader | undefined,
  workflowId: string,
  after: PackedDocument | undefined,
): Action[] {
  const key = workflowDocumentKey(workflowId);
  if (after?.location.store === 'table') {
    return [table.put(key, { revision: after.location.revision }, { bytes: after.zipped })];
  }
  return before?.document.store === 'table' ? [table.delete(key)] : [];
}

/** The parts of a workflow beside its header that a commit stores or deletes. */
export interface DocumentChange {
  /** The header whose document is replaced or deleted. */
  readonly before?: WorkflowHeader;
  readonly after?: PackedDocument | undefined;
  /** A new plan. The actions write its row; its object is stored here. */
  readonly plan?: PackedDocument | undefined;
  /** Actions that are written before the others, whether or not those then happen. */
  readonly announced?: readonly Action[] | undefined;
}

/**
 * Commits a change of a workflow's document and plan. It writes an object before a record points to it, deletes it again if the change
 * did not happen, and deletes the former document's object once no header points to it. If this process ends before that, the
 * records of the objects have them deleted later.
 */
export async function commitDocument(
  { table, objects, now }: { table: TableWriter; objects: Documents; now: Date },
  workflowId: string,
  { before, after, plan, announced = [] }: DocumentChange,
  actions: readonly Action[],
): Promise<void> {
  const added = [after, plan]
    .filter((document) => document !== undefined)
    .filter(({ location }) => location.store === 'objects')
    .map(({ location, zipped }) => {
      const key = objectKey(workflowId, location);
      const owned: OwnedObject[] = [{ area: 'documents', key }];
      return { key, zipped, owned, ownedKey: workflowObjectsKey(workflowId, location.revision) };
    });
  await Promise.all([
    table.commit(announced, { isAhead: true }),
    ...added.map(async ({ key, zipped, owned, ownedKey }) => {
      await announceObjects(table, ownedKey, owned, now);
      await objects.put(key, zipped);
    }),
  ]);
  const replaced = before?.document.store === 'objects' ? before.document : undefined;
  try {
    await table.commit([
      ...actions,
      ...documentActions(table, before, workflowId, after),
      ...added.map(({ owned, ownedKey }) => confirmObjectsAction(table, ownedKey, owned)),
      ...(replaced === undefined ? [] : [table.delete(workflowObjectsKey(workflowId, replaced.revision))]),
    ]);
  } catch (error) {
    if (isRefusal(error)) {
      await Promise.all(added.map(({ key }) => discard(objects, key)));
    }
    throw error;
  }
  if (replaced !== undefined) {
    await discard(objects, objectKey(workflowId, replaced));
  }
}

/** Whether the transaction certainly did not happen; after a timeout it may have. */
function isRefusal(error: unknown): boolean {
  return error instanceof VersionConflict || (error instanceof Failure && error.code !== 'UNAVAILABLE');
}

/** Nothing points to the object any more, so a failure to delete it does no harm, and the request still succeeds. */
async function discard(objects: Documents, key: string): Promise<void> {
  await objects.remove(key).catch(() => undefined);
}
