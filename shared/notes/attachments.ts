import { type Attachments, urlLifetime } from '../kernel/providers/objects.ts';

/** A file attached to a record, by its full key. */
export interface StoredAttachment {
  key: string;
  name: string;
  size: number;
  type: string;
}

/** The files with download URLs in place of their keys. */
export async function linkDownloads(
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
