import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyString } from '../kernel/schemas/fields.ts';
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
