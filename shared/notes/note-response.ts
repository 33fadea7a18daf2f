import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime } from '../kernel/schemas/fields.ts';

const AuthorResponse = described(z.object({ _id: anyString, fullName: anyString, email: anyString }), {
  _id: 'The id of the author.',
  fullName: 'First and last name of the author.',
  email: 'Email address of the author; empty for someone outside this organization.',
});

const NoteAttachmentResponse = described(
  z.object({ name: anyString, size: z.number(), type: anyString, signedUrl: anyString }),
  {
    name: 'The name of the file.',
    size: 'Its size in bytes.',
    type: 'Its content type, like `application/pdf`.',
    signedUrl: 'Where to download it, valid for an hour.',
  },
);

const ReactionResponse = described(
  z.object({ emoji: anyString, users: z.array(anyString), count: z.int() }),
  {
    emoji: 'The emoji, or a short code like `:thumbs_up:`.',
    users: 'The users who reacted with it.',
    count: 'How many users reacted with it.',
  },
);

/** Source: specification, "Contact note". */
export const NoteResponse = described(
  z.object({
    _id: anyString,
    userId: AuthorResponse,
    note: anyString,
    attachments: z.array(NoteAttachmentResponse),
    reactions: z.array(ReactionResponse),
    isEdited: anyBoolean,
    createdAt: dateTime,
  }),
  {
    _id: 'The id of the note.',
    userId: 'The author.',
    note: 'The text, in Markdown or plain.',
    attachments: 'Files attached to it.',
    reactions: 'How users reacted to it.',
    isEdited: 'Whether its text was changed since it was written.',
    createdAt: 'When it was written.',
  },
  { id: 'ContactNote', description: 'A note that a user wrote on a contact.' },
);
export type NoteResponse = z.output<typeof NoteResponse>;
