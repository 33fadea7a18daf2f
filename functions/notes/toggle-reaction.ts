import * as z from 'zod/mini';
import { contactExists } from '../../shared/contacts/contact.ts';
import { findChild } from '../../shared/contacts/find-child.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { buildNoteResponse } from '../../shared/notes/build-note-response.ts';
import { noteKey } from '../../shared/notes/note.ts';
import { NoteResponse } from '../../shared/notes/note-response.ts';
import { toggled } from '../../shared/notes/reactions.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { Emoji } from './model/emoji.ts';

export default operation({
  route: 'POST /api/contact-notes/{id}/reactions',
  summary: 'Add a reaction to a note, or remove it',
  description:
    'Everyone who can see the note may do this. Adds your reaction with this emoji, or removes it if it is there already. A note can have at most 50 different emoji and 2,000 reactions. A reaction does not set `isEdited`.',
  family: 'notes',
  minimumRole: 'SALES_REP',
  body: z.object({ emoji: Emoji }),
  descriptions: { emoji: 'One emoji, or a short code like `:thumbs_up:`.' },
  output: changeResponse(NoteResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.note }, body: { emoji: '👍' } },
  uses: { table: 'write', objects: 'attachments' },
  async run({ path: { id }, body: { emoji } }, { table, objects, caller }) {
    const note = await table.optimistically(async () => {
      const stored = await findChild(table, caller, noteKey(id), 'Note');
      const reactions = toggled(stored.data.reactions, emoji, caller.userId);
      // A transaction recognises its own retry even after a later write; a single write would toggle the reaction back.
      const actions = [
        table.replace(stored, { ...stored.data, reactions }),
        contactExists(table, stored.contact?.data._id ?? stored.data.contactId),
      ];
      const [author] = await Promise.all([table.read(userKey(stored.data.userId)), table.commit(actions)]);
      return { data: { ...stored.data, reactions }, author: author?.data };
    });
    const data = await buildNoteResponse(note.data, note.author, objects);
    return ok({ message: 'Reaction toggled', data });
  },
});
