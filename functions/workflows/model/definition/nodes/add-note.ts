import * as z from 'zod/mini';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { isNotEmpty } from '../../../../../shared/kernel/schemas/fields.ts';
import { NoteText } from '../../../../../shared/notes/note-fields.ts';
import { type Gone, goneUser, skippedFor } from '../gone.ts';
import { knownState } from '../known-contact.ts';
import { textsFrom } from '../texts.ts';
import { UserOrPlaceholder, userReferences } from '../user-fields.ts';
import { nodeType } from './node-type.ts';

/** The most for which the note and its notifications fit into the transaction of a step. */
const maxMentions = 20;

const Data = described(
  z.object({
    note: NoteText.check(isNotEmpty, z.meta({ minLength: 1 })),
    mentions: z.optional(z.array(UserOrPlaceholder).check(z.maxLength(maxMentions))),
  }),
  {
    note: 'Markdown or plain text with placeholders.',
    mentions:
      'Ids of users to mention, at most 20; each is notified once. May be placeholders, like `{{contact.owner}}`.',
  },
);

export default nodeType<z.output<typeof Data>, Gone>({
  type: 'addNote',
  title: 'Add a note',
  description:
    "Writes a note on the contact as `POST /api/contact-notes` does, as the owner of the workflow. Skipped with `user_gone` if a mentioned user is not in the organization. The step has the note's `noteId`.",
  schema: Data,
  actsAsOwner: true,
  needsContact: true,
  references: ({ mentions = [] }) =>
    userReferences(mentions.map((id, index) => [`mentions[${index}]`, id] as const)),
  read({ mentions = [] }, sources) {
    const texts = textsFrom(sources);
    return goneUser(
      sources,
      mentions.flatMap((one) => texts.filledOrNone(one) ?? []),
    );
  },
  decide({ note, mentions = [] }, { facts, now, extra: gone }) {
    if (gone !== undefined) {
      return skippedFor(gone);
    }
    const texts = textsFrom({ facts, now });
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'create-note',
        body: {
          contactId: knownState(facts).contact._id,
          note: texts.filled(note),
          mentions: mentions.flatMap((one) => texts.filledOrNone(one) ?? []),
        },
        resultId: 'noteId',
      },
    };
  },
});
