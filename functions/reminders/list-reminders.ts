import * as z from 'zod/mini';
import { findContact } from '../../shared/contacts/find-contact.ts';
import { readHeldPage } from '../../shared/contacts/holdings.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id } from '../../shared/kernel/schemas/fields.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { reminderEntryRange, reminderRange } from '../../shared/notes/reminder.ts';
import { ReminderResponse } from '../../shared/notes/reminder-response.ts';

export default operation({
  route: 'GET /api/reminders',
  summary: 'List reminders',
  tool: { name: 'list_reminders', when: 'To see what is due, for all contacts or one.' },
  description:
    'With `contactId`: all reminders of that contact, newest first. Without it: your own reminders of all contacts, in the order they are due. Reminders that have fired stay in the list, with `fired: true`.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object({ contactId: z.optional(Id), ...pageQuery }),
  descriptions: { contactId: 'Only reminders of this contact.', ...pageDescriptions },
  output: listResponse(ReminderResponse),
  failures: ['NOT_FOUND'],
  example: { query: { contactId: demo.ada } },
  uses: { table: 'read' },
  async run({ query: { contactId, ...page } }, { table, caller }) {
    const { records, nextCursor } = await (contactId === undefined
      ? table.page(reminderEntryRange(caller.userId), { ...page, consistent: true })
      : readHeldPage(table, contactId, findContact(table, caller, contactId), reminderRange, page));
    return ok({ data: records.map(({ data }) => data), nextCursor });
  },
});
