import * as z from 'zod/mini';
import { findContact } from '../../shared/contacts/find-contact.ts';
import { readHeldPage } from '../../shared/contacts/holdings.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id } from '../../shared/kernel/schemas/fields.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { buildNoteResponses } from '../../shared/notes/build-note-response.ts';
import { noteRange } from '../../shared/notes/note.ts';
import { NoteResponse } from '../../shared/notes/note-response.ts';

export default operation({
  route: 'GET /api/contact-notes',
  summary: 'List the notes on a contact',
  tool: { name: 'list_notes', when: 'To read what people have written about a contact.' },
  description: 'Newest first, for everyone who can see the contact.',
  family: 'notes',
  minimumRole: 'SALES_REP',
  query: z.object({ contactId: Id, ...pageQuery }),
  descriptions: { contactId: 'The contact whose notes to list.', ...pageDescriptions },
  output: listResponse(NoteResponse),
  failures: ['NOT_FOUND'],
  example: { query: { contactId: demo.ada } },
  uses: { table: 'read', objects: 'attachments' },
  async run({ query: { contactId, ...paging } }, { table, objects, caller }) {
    const finding = findContact(table, caller, contactId);
    const { records, nextCursor } = await readHeldPage(table, contactId, finding, noteRange, paging);
    const notes = records.map(({ data }) => data);
    return ok({ data: await buildNoteResponses(notes, table, objects), nextCursor });
  },
});
