import * as z from 'zod/mini';
import { touchContact } from '../../shared/contact-aggregate/touch-contact.ts';
import { findContact } from '../../shared/contacts/find-contact.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import { childId } from '../../shared/kernel/child-id.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id, isVisible } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { type AttachedFiles, attachFiles, findUploads } from '../../shared/notes/attach-files.ts';
import { fileLimits } from '../../shared/notes/attached-bytes.ts';
import { AttachmentList } from '../../shared/notes/attachment-fields.ts';
import { buildNoteResponse } from '../../shared/notes/build-note-response.ts';
import { newNote, noteKey } from '../../shared/notes/note.ts';
import { Mentions, NoteText, noteDescriptions } from '../../shared/notes/note-fields.ts';
import { NoteResponse } from '../../shared/notes/note-response.ts';
import { addWithinShare, trialLimits } from '../../shared/organizations/trial-records.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { type MentionIds, mentionActions, readMentioned } from './model/mentions.ts';
import { noteCreated } from './model/note-events.ts';

export default operation({
  route: 'POST /api/contact-notes',
  summary: 'Write a note on a contact',
  tool: {
    name: 'create_note',
    when: 'To keep what others should know about a contact. It is not sent to the contact.',
  },
  description: [
    'Everyone who can see the contact may do this, and gets `note_created`. Every mentioned user gets a notification. If any id in `mentions` is not a user of the organization, the response is 404 and nothing is written.',
    'Upload files first (`POST /api/upload`); any upload of the organization can be attached within a day, and the note gets a copy of its own. Beyond the daily limits of an organization, the response is 429, and `Retry-After` says when the next day begins; beyond that of files of one that no SUPERADMIN has approved, 403. [Contact Notes](#/Contact%20Notes) has these limits, and says what a mentioned user learns.',
  ].join('\n\n'),
  family: 'notes',
  minimumRole: 'SALES_REP',
  asStep: true,
  status: 201,
  body: z
    .object({
      contactId: Id,
      note: z._default(NoteText, ''),
      mentions: z._default(Mentions, []),
      attachments: z._default(AttachmentList, []),
    })
    .check(
      z.refine(({ note, attachments }) => isVisible(note) || attachments.length > 0, {
        path: ['note'],
        error: 'is required unless there are attachments',
      }),
    ),
  descriptions: {
    contactId: 'The contact the note is about.',
    ...noteDescriptions,
    attachments: 'At most 20 uploaded files. `size` and `type` are taken from the uploaded file.',
  },
  output: changeResponse(NoteResponse),
  failures: ['NOT_FOUND', 'TOO_MANY_ATTEMPTS'],
  limits: [fileLimits.attached, trialLimits.notes],
  example: {
    body: {
      contactId: demo.ada,
      note: '@Rosa Delgado could you take over **next week**?',
      mentions: [demo.rep],
      attachments: [],
    },
  },
  uses: { table: 'write', objects: 'newAttachments', rateLimits: 'limit', trialPolicy: 'read' },
  async run({ body }, { table, objects, rateLimits, trialPolicy, caller, now, newId }) {
    const { contactId } = body;
    const noteId = childId(contactId, newId());
    const notifications = [newId(), newId()] as const;
    // Ids of the same millisecond are in random order, so they are sorted: clients get a note before the mention in it.
    const [created = '', seeing = '', others = ''] = [newId(), newId(), newId()].sort();
    const ids: MentionIds = { notifications, events: [seeing, others] };
    const uploaded = findUploads(objects, body.attachments);
    let files: Promise<AttachedFiles> | undefined;
    const create = async () => {
      const [contact, author, mentioned, uploads] = await Promise.all([
        findContact(table, caller, contactId),
        table.read(userKey(caller.userId)),
        readMentioned(table, body.mentions),
        uploaded,
      ]);
      const recipients = mentioned.newly([]);
      files ??= attachFiles(
        { table, objects, trialPolicy, now },
        { contactId, recordId: noteId },
        body.attachments,
        uploads,
      );
      const { attachments, actions } = await files;
      const note = newNote(
        {
          _id: noteId,
          contactId,
          userId: caller.userId,
          note: body.note,
          mentions: mentioned.userIds,
          attachments: [...attachments],
        },
        timestamp(now),
      );
      const mentioning = { contact, note, author: author?.data };
      const notifying = await mentionActions(table, mentioning, recipients, ids, now);
      await table.commit([
        ...(notifying.length === 0 ? [touchContact(table, contactId)] : notifying),
        table.add(noteKey(note._id), note),
        ...actions,
        eventAction(table, noteCreated(contact.data, note), created, now),
      ]);
      const data = await buildNoteResponse(note, author?.data, objects);
      return ok({ message: 'Note created', data });
    };
    return addWithinShare({ table, rateLimits, trialPolicy }, 'notes', caller.organizationId, () =>
      table.optimistically(create),
    );
  },
});
