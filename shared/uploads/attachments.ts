import * as z from 'zod/mini';
import { Failure } from '../kernel/failure.ts';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyString } from '../kernel/schemas/fields.ts';
import type { Attachments, NewAttachments, UploadedFile } from '../objects/objects.ts';
import { urlLifetime } from '../objects/url-lifetime.ts';
import { FileName } from './upload-fields.ts';

/** Files that one record may have. Source: decisions 1, "Input caps". */
const maxAttachments = 20;

/** An uploaded file as a client attaches it. Its size and type come from the store, whatever the client sends. */
export const AttachmentFields = described(
  z.object({
    key: anyString,
    name: FileName,
    size: z.optional(z.number().check(z.nonnegative())),
    type: z.optional(anyString),
  }),
  {
    key: 'The `key` that `POST /api/upload` returned.',
    name: 'The name of the file, as users see it.',
    size: 'Optional and ignored: that of the uploaded file is used.',
    type: 'Optional and ignored: that of the uploaded file is used.',
  },
);
export type AttachmentFields = z.output<typeof AttachmentFields>;

export const AttachmentList = z.array(AttachmentFields).check(z.maxLength(maxAttachments));

/** A file attached to a record, by its full key. */
export interface StoredAttachment {
  key: string;
  name: string;
  size: number;
  type: string;
}

/** The uploads to attach; undefined for other organizations' keys and for files that were never uploaded. */
export function uploadsOf(
  objects: NewAttachments,
  attachments: readonly AttachmentFields[],
): Promise<(UploadedFile | undefined)[]> {
  return Promise.all(attachments.map(({ key }) => objects.upload(key)));
}

/** @throws a 404 `Failure` for a file that the organization does not have. */
export function requireUploads(uploads: readonly (UploadedFile | undefined)[]): UploadedFile[] {
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

/** The files with download URLs in place of their keys. */
export async function downloadable(
  objects: Attachments,
  attachments: readonly StoredAttachment[],
): Promise<{ name: string; size: number; type: string; signedUrl: string }[]> {
  const shown = attachments.map(async ({ key, name, size, type }) => {
    const relative = objects.relativeKey(key);
    return relative === undefined
      ? []
      : [
          {
            name,
            size,
            type,
            signedUrl: await objects.downloadUrl(relative, { name, type, seconds: urlLifetime }),
          },
        ];
  });
  return (await Promise.all(shown)).flat();
}
