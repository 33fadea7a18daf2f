import * as z from 'zod/mini';
import { anyText, yesOrNo } from '../kernel/fields.ts';

/** Source: specification, "Contact note". */
export const NoteAnswer = z
  .object({
    _id: anyText,
    userId: z.object({ _id: anyText, fullName: anyText, email: anyText }),
    note: anyText,
    attachments: z.array(z.object({ name: anyText, size: z.number(), type: anyText, signedUrl: anyText })),
    reactions: z.array(z.object({ emoji: anyText, users: z.array(anyText), count: z.int() })),
    isEdited: yesOrNo,
    createdAt: anyText,
  })
  .check(
    z.meta({
      id: 'ContactNote',
      description:
        '`userId` is the author; one who is no user of this organization has no e-mail address here. A `signedUrl` downloads its file for one hour.',
    }),
  );
export type NoteAnswer = z.output<typeof NoteAnswer>;
