import { Failure } from '../kernel/failure.ts';
import type { NewAttachments, OwnedObject, UploadedFile } from '../kernel/providers/objects.ts';
import type { Action } from '../table/table.ts';
import { type AttachedSources, countAttached } from './attached-bytes.ts';
import type { AttachmentFields } from './attachment-fields.ts';
import type { StoredAttachment } from './attachments.ts';
import { announceObjects, confirmObjectsAction, contactObjectsKey } from './owned-objects.ts';

/** The uploads to attach; undefined for other organizations' keys and for files that were never uploaded. */
export function findUploads(
  objects: NewAttachments,
  attachments: readonly AttachmentFields[],
): Promise<(UploadedFile | undefined)[]> {
  return Promise.all(attachments.map(({ key }) => objects.upload(key)));
}

/** @throws a 404 `Failure` for a file that the organization does not have. */
function requireUploads(uploads: readonly (UploadedFile | undefined)[]): UploadedFile[] {
  return uploads.map((upload, index) => {
    if (upload === undefined) {
      throw new Failure(
        'NOT_FOUND',
        `attachments[${index}].key is not the key of a file uploaded in this organization`,
      );
    }
    return upload;
  });
}

/** The files of a new note or message. */
export interface AttachedFiles {
  readonly attachments: readonly StoredAttachment[];
  /** The actions of the record's transaction that keep the files. */
  readonly actions: readonly Action[];
}

/**
 * Copies uploads to keys of the record's own, each once. If the record is not written after all, the copies are deleted.
 * @throws a 404 `Failure` for a file that the organization does not have, a 403 or 429 for more files than it may attach.
 */
export async function attachFiles(
  { objects, ...sources }: AttachedSources & { readonly objects: NewAttachments },
  { contactId, recordId }: { readonly contactId: string; readonly recordId: string },
  fields: readonly AttachmentFields[],
  uploads: readonly (UploadedFile | undefined)[],
): Promise<AttachedFiles> {
  const { table, now } = sources;
  const found = requireUploads(uploads);
  if (found.length === 0) {
    return { attachments: [], actions: [] };
  }
  const distinct = [...new Map(found.map((upload) => [upload.relative, upload])).values()];
  const keyOf = ({ relative }: UploadedFile) =>
    `${contactId}/${recordId}/${distinct.findIndex((file) => file.relative === relative)}`;
  const originals = distinct.map(
    ({ relative: key, version }): OwnedObject => ({ area: 'uploads', key, version }),
  );
  const copies = distinct.map((upload): OwnedObject => ({ area: 'files', key: keyOf(upload) }));
  const owned = contactObjectsKey(contactId, recordId);
  const bytes = distinct.reduce((sum, { size }) => sum + size, 0);
  await Promise.all([announceObjects(table, owned, copies, now), countAttached(sources, bytes)]);
  const stored = await Promise.all(
    distinct.map(async (upload): Promise<OwnedObject> => {
      const key = keyOf(upload);
      return { area: 'files', key, version: await objects.copy(upload, key) };
    }),
  );
  return {
    attachments: found.map((upload, index) => ({
      key: objects.keyOf(keyOf(upload)),
      name: fields[index]?.name ?? '',
      size: upload.size,
      type: upload.type,
    })),
    actions: [confirmObjectsAction(table, owned, [...stored, ...originals])],
  };
}
