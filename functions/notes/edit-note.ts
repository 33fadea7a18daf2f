import * as z from 'zod/mini';
import { findChild } from '../../shared/contacts/find-child.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { buildNoteResponse } from '../../shared/notes/build-note-response.ts';
import { edited, noteKey } from '../../shared/notes/note.ts';
import { Mentions, NoteText, noteDescriptions } from '../../shared/notes/note-fields.ts';
import { NoteResponse } from '../../shared/notes/note-response.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { commitEdit } from './model/commit-edit.ts';
import { type MentionIds, mentionActions, readMentioned } from './model/mentions.ts';

export default operation({
  route: 'PATCH /api/contact-notes/{id}',
  summary: 'Edit a note',
  description:
    'Only its author may do this; others who see the note get 403. Fields you leave out keep their value. Changing the text sets `isEdited`; an edit that changes nothing does not. Users whom the note did not mention before are notified, with the text only if they can see the contact; the notifications of users whom it no longer mentions are deleted. Attachments stay as they are.',
  family: 'notes',
  minimumRole: 'SALES_REP',
  body: z.object({ note: z.optional(NoteText), mentions: z.optional(Mentions) }).check(
    z.refine(({ note, mentions }) => note !== undefined || mentions !== undefined, {
      path: ['note'],
      error: 'or mentions is required',
    }),
  ),
  descriptions: {
    ...noteDescriptions,
    mentions: 'Ids of users of the organization; they replace the previous ones.',
  },
  output: changeResponse(NoteResponse),
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  example: { path: { id: demo.note }, body: { note: 'Prefers to be called **after 14:00**.' } },
  uses: { table: 'write', objects: 'attachments' },
  async run({ path: { id }, body }, { table, objects, caller, now, newId }) {
    const ids: MentionIds = { notifications: [newId(), newId()], events: [newId(), newId()] };
    return table.optimistically(async () => {
      const [stored, author, mentioned] = await Promise.all([
        findChild(table, caller, noteKey(id), 'Note'),
        table.read(userKey(caller.userId)),
        readMentioned(table, body.mentions ?? []),
      ]);
      if (stored.data.userId !== caller.userId) {
        throw new Failure('FORBIDDEN', 'Only its author may edit a note.');
      }
      const recipients = mentioned.newly(stored.data.mentions);
      const mentions = body.mentions && mentioned.userIds;
      const note = edited(stored.data, { note: body.note, mentions }, timestamp(now));
      if (note !== stored.data) {
        const mentioning = { contact: stored.contact, note, author: author?.data };
        const notifying = await mentionActions(table, mentioning, recipients, ids, now);
        await commitEdit(table, stored, note, notifying, { now, newId });
      }
      return ok({
        message: note === stored.data ? 'No changes' : 'Note updated',
        data: await buildNoteResponse(note, author?.data, objects),
      });
    });
  },
});
